-- breaking: no
-- The quiet time that covers the check, or covered it last.
alter table checks add column quiet_from_at {bigint};
alter table checks add column quiet_until_at {bigint};

-- Spans in which checks are not expected and not told of. Without checks and tags it covers the whole project.
create table quiet_times (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  name text not null,
  reason text not null,
  made_by text not null,
  -- JSON: ids of checks.
  check_ids text not null,
  tags text not null,
  -- Of one that comes once: its span. Of a recurring one: only spans that begin at from_at or later count.
  from_at {bigint} not null,
  until_at {bigint},
  -- Empty: it comes once.
  schedule text not null,
  tz text not null,
  duration_seconds integer not null,
  -- When checks have to be covered by its next span. Null when none comes.
  next_at {bigint},
  created_at {bigint} not null
) {rows};
create index quiet_times_project on quiet_times (project_id);
create index quiet_times_next on quiet_times (next_at) where next_at is not null;

-- Quiet times as they were.
create table quiet_spans (
  check_id {bigint} not null references checks (id) on delete cascade,
  from_at {bigint} not null,
  until_at {bigint} not null,
  -- The quiet times that made it.
  name text not null,
  primary key (check_id, from_at)
) {rows};
create index quiet_spans_until on quiet_spans (until_at);
