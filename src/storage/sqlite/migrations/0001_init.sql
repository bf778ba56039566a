-- breaking: no
-- Instants are microseconds since 1970 and end in _at; spans end in their unit.

-- Ids are given out in ascending order and never again: by default SQLite would give that of the last row, once it is
-- deleted, to the next, and who still holds it would take the one for the other.
create table accounts (
  id integer primary key autoincrement,
  uuid text not null unique,
  email text not null unique,
  password_hash text,
  -- Kept in step with the checks of all the account's projects, so that the limit costs one row to enforce.
  check_count integer not null default 0,
  check_limit integer not null,
  ping_limit integer not null,
  tz text not null default 'UTC',
  reports text not null default 'monthly',
  next_report_at integer,
  nag_period_seconds integer not null default 0,
  next_nag_at integer,
  created_at integer not null,
  last_active_at integer
) strict;

create index accounts_report on accounts (next_report_at) where next_report_at is not null;
-- Whose first report is to be scheduled.
create index accounts_unscheduled on accounts (id) where next_report_at is null and reports <> 'off';
create index accounts_nag on accounts (next_nag_at) where next_nag_at is not null;

create table sessions (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  token_digest text not null unique,
  remote_addr text,
  user_agent text not null default '',
  created_at integer not null,
  last_seen_at integer not null,
  expires_at integer not null
) strict;
create index sessions_account on sessions (account_id);

create table projects (
  id integer primary key autoincrement,
  uuid text not null unique,
  owner_id integer not null references accounts (id),
  name text not null,
  badge_key text not null unique,
  -- The ping key is found by its digest, and shown to members by unsealing.
  ping_key_digest text unique,
  ping_key_sealed text,
  created_at integer not null
) strict;
create index projects_owner on projects (owner_id, name);

create table members (
  project_id integer not null references projects (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  role text not null,
  created_at integer not null,
  primary key (project_id, account_id)
) strict, without rowid;
create index members_account on members (account_id);

create table api_keys (
  id integer primary key autoincrement,
  project_id integer not null references projects (id) on delete cascade,
  kind text not null,
  name text not null,
  lookup text not null,
  digest text not null unique,
  created_at integer not null,
  unique (project_id, kind, name)
) strict;
create index api_keys_lookup on api_keys (lookup);

create table channels (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  kind text not null,
  name text not null,
  settings text not null,
  verified integer not null default 1,
  disabled integer not null default 0,
  last_notify_at integer,
  last_notify_micros integer,
  last_error text not null default '',
  created_at integer not null
) strict;
create index channels_project on channels (project_id);

create table checks (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  badge_key text not null unique,
  unique_key text not null,
  name text not null,
  slug text not null,
  tags text not null,
  description text not null,
  kind text not null,
  timeout_seconds integer not null,
  schedule text not null,
  tz text not null,
  grace_seconds integer not null,
  manual_resume integer not null,
  methods text not null,
  start_keywords text not null,
  success_keywords text not null,
  failure_keywords text not null,
  filter_subject integer not null,
  filter_body integer not null,
  filter_http_body integer not null,
  filter_default_fail integer not null,
  status text not null,
  ping_count integer not null,
  last_received_at integer,
  last_ping_at integer,
  last_start_at integer,
  last_start_rid text,
  run_reported integer not null,
  last_duration_micros integer,
  last_flip_at integer,
  has_confirmation_link integer not null default 0,
  excused_until_at integer,
  deadline_at integer,
  -- When to look whether the deadline has passed: then or earlier. Most pings put the deadline off and leave this
  -- alone, so that they change no index.
  alarm_at integer,
  created_at integer not null
) strict;
create index checks_project on checks (project_id, id);
create index checks_slug on checks (project_id, slug);
create index checks_name on checks (project_id, name);
create index checks_unique_key on checks (project_id, unique_key);
create index checks_alarm on checks (alarm_at) where alarm_at is not null;
create index checks_excused on checks (excused_until_at) where excused_until_at is not null;
create index checks_down on checks (project_id) where status = 'down';

create table check_channels (
  check_id integer not null references checks (id) on delete cascade,
  channel_id integer not null references channels (id) on delete cascade,
  primary key (check_id, channel_id)
) strict, without rowid;
create index check_channels_channel on check_channels (channel_id);

-- No foreign key: whoever adds a ping holds the row of its check, so that to look it up once more for every ping would
-- find out nothing. With a check its pings and their bodies go by a trigger.
create table pings (
  check_id integer not null,
  n integer not null,
  created_at integer not null,
  signal text not null,
  scheme text not null,
  method text not null,
  remote_addr text,
  user_agent text not null,
  rid text,
  exit_status integer,
  body blob,
  -- Set when the body is too long for this row: it is in ping_bodies, or has moved from there to object storage.
  long_body_size integer,
  primary key (check_id, n)
) strict, without rowid;

-- Bodies that are too long for the rows of pings. Those lie within their index, out of whose pages long ones would
-- spill; these lie in order of arrival, with an index on the side.
create table ping_bodies (
  check_id integer not null,
  n integer not null,
  body blob not null,
  primary key (check_id, n)
) strict;

create trigger checks_pings after delete on checks
begin
  delete from pings where check_id = old.id;
  delete from ping_bodies where check_id = old.id;
end;

create table flips (
  id integer primary key autoincrement,
  check_id integer not null references checks (id) on delete cascade,
  created_at integer not null,
  old_status text not null,
  new_status text not null,
  reason text not null
) strict;
create index flips_check on flips (check_id, created_at, id);
create index flips_created on flips (created_at, check_id);

-- The outbox: written in the transaction of the flip, one row for each channel assigned at that moment.
create table deliveries (
  id integer primary key autoincrement,
  -- What providers and callbacks know the delivery by; stable over retries.
  uuid text not null unique,
  check_id integer not null references checks (id) on delete cascade,
  channel_id integer not null references channels (id) on delete cascade,
  flip_id integer not null references flips (id) on delete cascade,
  status text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at integer,
  error text not null default '',
  created_at integer not null,
  finished_at integer
) strict;
create index deliveries_open on deliveries (next_attempt_at) where next_attempt_at is not null;
create index deliveries_check on deliveries (check_id, channel_id, id);
-- Which message of a check to a channel is next, however many were sent before.
create index deliveries_turn on deliveries (check_id, channel_id, id) where next_attempt_at is not null;
create index deliveries_channel on deliveries (channel_id);
create index deliveries_flip on deliveries (flip_id);

create table attempts (
  delivery_id integer not null references deliveries (id) on delete cascade,
  n integer not null,
  started_at integer not null,
  duration_micros integer,
  error text not null default '',
  primary key (delivery_id, n)
) strict, without rowid;

-- When people were last told of a check that changes its status all the time.
create table flapping_notices (
  check_id integer primary key references checks (id) on delete cascade,
  told_at integer not null
) strict;

-- The other outbox: letters to accounts, composed when they are sent from what the parameters name.
create table mails (
  id integer primary key autoincrement,
  -- Goes out in the Message-ID; stable over retries.
  uuid text not null unique,
  account_id integer not null references accounts (id) on delete cascade,
  kind text not null,
  -- JSON.
  parameters text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at integer,
  error text not null default '',
  created_at integer not null,
  finished_at integer
) strict;
create index mails_open on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_account on mails (account_id, kind, next_attempt_at);
create index mails_finished on mails (finished_at) where finished_at is not null;

-- Checks that may have more pings than their owner's limit keeps.
create table prune_queue (
  check_id integer primary key references checks (id) on delete cascade
) strict;

-- Bodies that are to move to object storage. A claim counts as an attempt and puts off the next one.
create table body_moves (
  check_id integer not null references checks (id) on delete cascade,
  n integer not null,
  attempt_count integer not null default 0,
  next_attempt_at integer not null,
  primary key (check_id, n)
) strict, without rowid;
create index body_moves_due on body_moves (next_attempt_at);

-- Checks some of whose pings are gone while their objects are not: those of all pings up to a number.
create table object_deletions (
  check_uuid text primary key,
  up_to integer not null,
  attempt_count integer not null default 0,
  next_attempt_at integer not null
) strict, without rowid;
create index object_deletions_due on object_deletions (next_attempt_at);

-- When each node last took pings, to know when all of them were blind.
create table watch (
  node text primary key,
  beat_at integer not null
) strict, without rowid;

-- Times in which no node could have seen a ping.
create table blind_spans (
  id integer primary key autoincrement,
  from_at integer not null,
  until_at integer not null,
  -- Accounts up to this one were told of it; null once everybody was.
  told_up_to_account_id integer default 0
) strict;
create index blind_spans_untold on blind_spans (id) where told_up_to_account_id is not null;

-- Work that one node does for all, and when it is to be done next.
create table jobs (
  name text primary key,
  due_at integer not null
) strict, without rowid;

-- Facts about the installation as a whole.
create table instance (
  key text primary key,
  value text not null
) strict, without rowid;
