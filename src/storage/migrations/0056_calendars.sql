-- breaking: no
-- Hours that come again. Policies and integrations refer to them.
create table calendars (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  name text not null,
  -- When they begin: cron or OnCalendar, in the time zone.
  schedule text not null,
  tz text not null,
  duration_seconds integer not null,
  -- Days that are outside of them, apart by spaces.
  except_dates text not null default '',
  created_at {bigint} not null,
  declared_as text,
  declared_by text,
  declared_made {boolean} not null default {false},
  unique (project_id, name)
) {rows};
