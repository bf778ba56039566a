-- breaking: no
-- Pages that tell outsiders how checks are doing, and what people tell there.
create table status_pages (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  slug text not null unique,
  title text not null,
  about text not null,
  tz text not null,
  is_published integer not null,
  -- JSON: names of components with the tag or the unique key of the check that each covers.
  components text not null,
  -- Raised by every change of the page and of what it tells.
  revision integer not null,
  created_at integer not null
) strict;
create index status_pages_project on status_pages (project_id);

-- Incidents and planned maintenances.
create table status_notices (
  id integer primary key autoincrement,
  uuid text not null unique,
  page_id integer not null references status_pages (id) on delete cascade,
  kind text not null,
  title text not null,
  -- JSON: ids of components.
  component_ids text not null,
  starts_at integer not null,
  ends_at integer,
  created_at integer not null
) strict;
create index status_notices_page on status_notices (page_id, starts_at);

create table status_updates (
  id integer primary key autoincrement,
  uuid text not null unique,
  notice_id integer not null references status_notices (id) on delete cascade,
  state text not null,
  text text not null,
  created_at integer not null,
  author text not null
) strict;
create index status_updates_notice on status_updates (notice_id, id);

-- Screens that show a project to whoever stands before them. The address of each contains a token.
create table walls (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  name text not null,
  -- Characters of the token that lists show.
  lookup text not null,
  digest text not null unique,
  maker_id integer references accounts (id) on delete set null,
  created_at integer not null
) strict;
create index walls_project on walls (project_id);
create index walls_maker on walls (maker_id);
