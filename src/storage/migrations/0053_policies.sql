-- breaking: no
-- How outages are told: rules with a name.
create table policies (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  name text not null,
  -- JSON. Integrations are named by their UUIDs.
  rules text not null,
  -- Whether it counts for all checks of the project that no tag gives another.
  is_default {boolean} not null default {false},
  created_at {bigint} not null,
  -- Files can declare it, as they do checks.
  declared_as text,
  declared_by text,
  declared_made {boolean} not null default {false},
  unique (project_id, name)
) {rows};
create unique index policies_default on policies (project_id) where is_default;

-- Policies of checks with a tag, in the order in which they are looked for.
create table tag_policies (
  project_id {bigint} not null references projects (id) on delete cascade,
  position integer not null,
  tag text not null,
  -- Its name, as checks name it.
  policy text not null,
  primary key (project_id, position)
) {rows_by_key};
