-- breaking: yes
-- What administrators do, and the log of a project in order of time. An older program would let people in whose accounts are
-- switched off.

-- Nobody signs in to an account that is not active.
alter table accounts add column is_active integer not null default 1;

-- Administrators in projects of others, each in one session and for a while.
create table administrator_visits (
  session_id integer not null references sessions (id) on delete cascade,
  project_id integer not null references projects (id) on delete cascade,
  ends_at integer not null,
  primary key (session_id, project_id)
) strict, without rowid;
create index administrator_visits_project on administrator_visits (project_id);

-- An act of a program has no account, and one on an account no project. Such rows cost those indexes nothing. What is
-- too old is found by its id, since ids rise with time.
drop index audit_log_created;
drop index audit_log_project;
drop index audit_log_account;
create index audit_log_project on audit_log (project_id, created_at, id) where project_id is not null;
create index audit_log_account on audit_log (account_id, id) where account_id is not null;
create index audit_log_account_time on audit_log (account_id, created_at, id) where account_id is not null;
