-- breaking: no
-- Addresses of other programs that jobs go on pinging: a token stands for a check, or for the ping key of a project.
create table ping_aliases (
  id {id},
  uuid {uuid} not null unique,
  -- The program: 'kuma' or 'cronitor'.
  dialect text not null,
  -- SHA-256 without a key: a new secret of the server breaks no job.
  token_digest text not null,
  -- The token, for those who may see addresses.
  token_sealed text not null,
  -- One of the two.
  check_id {bigint} references checks (id) on delete cascade,
  project_id {bigint} references projects (id) on delete cascade,
  created_at {bigint} not null,
  last_used_at {bigint},
  unique (token_digest, dialect)
) {rows};
create index ping_aliases_check on ping_aliases (check_id) where check_id is not null;
create index ping_aliases_project on ping_aliases (project_id) where project_id is not null;

-- JSON of the dialects that the project accepts. Null: none.
alter table projects add column dialects text;
-- It has few values, so that one row of each answers whether any project accepts a dialect.
create index projects_dialects on projects (dialects) where dialects is not null;
