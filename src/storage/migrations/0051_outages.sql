-- breaking: no
-- Whether anything was ever used that decides who is told when: an answer, a policy. Until then nothing more is read for a flip.
alter table projects add column has_policies {boolean} not null default {false};
-- Nothing that begins is told before this time.
alter table checks add column snoozed_until_at {bigint};
-- Repeats of a message: their number. The first message has 0.
alter table deliveries add column ordinal integer not null default 0;
-- Why the channel is told: words, apart by spaces. Empty: it is assigned, and nothing was planned.
alter table deliveries add column why text not null default '';

-- From a flip to down with a reason until the check is up for good, paused or gone. Whoever writes one holds the check.
create table outages (
  id {id},
  check_id {bigint} not null references checks (id) on delete cascade,
  -- All messages of the outage but the last belong to this flip.
  flip_id {bigint} not null unique references flips (id) on delete cascade,
  -- Of that flip.
  reason text not null,
  -- 'waiting', 'told', 'recovering' or 'over'.
  state text not null,
  began_at {bigint} not null,
  -- When it was first told.
  told_at {bigint},
  acknowledged_at {bigint},
  acknowledged_by text,
  acknowledged_until_at {bigint},
  -- When the check came up, while more good runs are awaited, and how many there were.
  recovering_at {bigint},
  good_count integer not null default 0,
  ended_at {bigint},
  -- The flip that ended it, or to up while it recovers.
  ended_by {bigint},
  -- What keeps it from being told.
  held_by text,
  step_count integer not null default 0,
  -- The last ordinal that was given.
  tell_count integer not null default 0,
  -- Repeats, and when the last one was due.
  again_count integer not null default 0,
  again_at {bigint},
  -- When to decide anew.
  wake_at {bigint}
) {rows};
create unique index outages_open on outages (check_id) where ended_at is null;
create index outages_check on outages (check_id, id);
create index outages_wake on outages (wake_at, id) where wake_at is not null;

-- Channels that would have been told of an outage, and were not yet.
create table outage_waits (
  outage_id {bigint} not null references outages (id) on delete cascade,
  channel_id {bigint} not null references channels (id) on delete cascade,
  status text not null,
  reason text not null,
  primary key (outage_id, channel_id)
) {rows_by_key};
create index outage_waits_channel on outage_waits (channel_id);
