-- breaking: no
-- Addresses that work once, such as a link to sign in. Only the digest of the secret part is stored.
create table links (
  id integer primary key autoincrement,
  digest text not null unique,
  purpose text not null,
  account_id integer references accounts (id) on delete cascade,
  -- The e-mail address that the link proves, if it proves one.
  email text,
  created_at integer not null,
  expires_at integer not null
) strict;
create index links_account on links (account_id);
create index links_email on links (email) where email is not null;
create index links_purpose on links (purpose);
create index links_expiry on links (expires_at);

create index accounts_admin on accounts (id) where is_admin;
