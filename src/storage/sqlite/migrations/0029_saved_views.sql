-- breaking: no
-- Filters and orders of lists of checks that people keep under names.
create table saved_views (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  -- The query of the address of the list.
  query text not null,
  -- Whether everybody in the project sees it.
  is_shared integer not null,
  created_at integer not null
) strict;
create index saved_views_project on saved_views (project_id);
create index saved_views_account on saved_views (account_id);
