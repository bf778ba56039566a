-- breaking: no
-- Keys that people keep in a device or an account of their own, and sign in with. The public half is here.
create table passkeys (
  id integer primary key autoincrement,
  uuid text not null unique,
  account_id integer not null references accounts (id) on delete cascade,
  -- Both in base64url.
  credential_id text not null unique,
  public_key text not null,
  -- How often the device has signed; 0 where it does not count.
  counter integer not null,
  name text not null,
  created_at integer not null,
  last_used_at integer
) strict;
create index passkeys_account on passkeys (account_id);
