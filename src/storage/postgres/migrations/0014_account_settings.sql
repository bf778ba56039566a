-- breaking: no
alter table accounts add column theme text not null default 'system';

-- A new address that an account asks for. It is taken once both mailboxes have confirmed it.
create table email_changes (
  account_id bigint primary key references accounts (id) on delete cascade,
  new_email text not null,
  is_old_confirmed boolean not null default false,
  is_new_confirmed boolean not null default false,
  expires_at bigint not null
);
create index email_changes_expiry on email_changes (expires_at);
