-- breaking: no
-- What accounts need once people sign in.

alter table accounts add column name text not null default '';
alter table accounts add column is_admin integer not null default 0;

create table sessions (
  id integer primary key autoincrement,
  -- Names the session in lists; it opens nothing.
  uuid text not null unique,
  account_id integer not null references accounts (id) on delete cascade,
  -- Of the token in the cookie.
  token_digest text not null unique,
  created_at integer not null,
  last_seen_at integer not null,
  -- Until then the person need not prove again who they are.
  sudo_until_at integer,
  remote_addr text,
  user_agent text not null
) strict;
create index sessions_account on sessions (account_id);
create index sessions_seen on sessions (last_seen_at);
create index sessions_created on sessions (created_at);

-- Attempts to sign in and the like: when the bucket of the key is full again.
create table attempt_limits (
  key text primary key,
  full_at integer not null
) strict, without rowid;
create index attempt_limits_full on attempt_limits (full_at);

-- Who did what. Rows outlive the account and the project that they name.
create table audit_log (
  id integer primary key autoincrement,
  created_at integer not null,
  account_id integer references accounts (id) on delete set null,
  -- The name of whoever acted, as it was then.
  actor text not null,
  means text not null,
  remote_addr text,
  project_id integer references projects (id) on delete set null,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  subject_name text not null,
  -- JSON: what was before and after, without secrets.
  details text not null
) strict;
create index audit_log_account on audit_log (account_id, id);
create index audit_log_project on audit_log (project_id, id);
create index audit_log_created on audit_log (created_at);
