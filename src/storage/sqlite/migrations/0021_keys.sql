-- breaking: no
-- Keys that people manage, and tokens of accounts. Keys of one name may overlap while one takes the place of the other,
-- which SQLite allows only in a table that is made anew. The defaults are for rows of an older program, in which a file
-- makes keys.
create table new_api_keys (
  id integer primary key autoincrement,
  project_id integer not null references projects (id) on delete cascade,
  kind text not null,
  name text not null,
  lookup text not null,
  digest text not null unique,
  created_at integer not null,
  secret_id text,
  -- Names the key in addresses; it opens nothing.
  uuid text not null default (lower(
    hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' ||
    substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
  )) unique,
  -- By which means it was made, as in the audit log.
  made_by text not null default 'file',
  maker_id integer references accounts (id) on delete set null,
  expires_at integer,
  -- Written at most once a minute.
  last_used_at integer,
  last_used_addr text
) strict;
insert into new_api_keys (id, project_id, kind, name, lookup, digest, created_at, secret_id, made_by)
select id, project_id, kind, name, lookup, digest, created_at, secret_id,
       case when name = 'provisioned' then 'file' else 'program' end
  from api_keys;
-- No id is given out again.
delete from sqlite_sequence where name = 'new_api_keys';
insert into sqlite_sequence (name, seq) select 'new_api_keys', seq from sqlite_sequence where name = 'api_keys';
drop table api_keys;
alter table new_api_keys rename to api_keys;
create index api_keys_lookup on api_keys (lookup);
create index api_keys_project on api_keys (project_id);
create index api_keys_maker on api_keys (maker_id);

-- What lets programs act for a person.
create table account_tokens (
  id integer primary key autoincrement,
  -- Names the token in lists; it opens nothing.
  uuid text not null unique,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  -- Characters of the token that lists show.
  lookup text not null,
  digest text not null unique,
  -- JSON: names of permissions.
  scopes text not null,
  -- JSON: ids of the projects in which it works; null: in all.
  project_ids text,
  created_at integer not null,
  expires_at integer,
  -- Written at most once a minute.
  last_used_at integer,
  last_used_addr text
) strict;
create index account_tokens_account on account_tokens (account_id);

-- What is left of the requests of each account's tokens. SQLite has one node, which counts in memory.
create table token_rate_buckets (
  account_id integer primary key references accounts (id) on delete cascade,
  credit integer not null,
  filled_at integer not null
) strict;
