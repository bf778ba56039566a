-- breaking: no
-- Which account belongs to which person of a provider. An address is no name for a person: it may be given to another one.
create table identities (
  id integer primary key autoincrement,
  uuid text not null unique,
  account_id integer not null references accounts (id) on delete cascade,
  issuer text not null,
  subject text not null,
  -- The address that the provider named last.
  email text not null,
  created_at integer not null,
  last_used_at integer not null,
  unique (issuer, subject),
  unique (account_id, issuer)
) strict;

-- What groups of the provider have given is taken back when the person leaves them. What people have given stays.
alter table accounts add column is_admin_by_group integer not null default 0;
alter table members add column is_by_group integer not null default 0;
