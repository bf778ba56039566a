-- breaking: no
alter table accounts add column theme text not null default 'system';

-- A new address that an account asks for. It is taken once both mailboxes have confirmed it.
create table email_changes (
  account_id integer primary key references accounts (id) on delete cascade,
  new_email text not null,
  is_old_confirmed integer not null default 0,
  is_new_confirmed integer not null default 0,
  expires_at integer not null
) strict;
create index email_changes_expiry on email_changes (expires_at);
