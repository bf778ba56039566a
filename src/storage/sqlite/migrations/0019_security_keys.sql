-- breaking: yes
-- An older program would let people in by a password alone whose second factor is a passkey or a security key.

-- A `passkey` signs in alone. A `security_key` is asked for beside another proof.
alter table passkeys add column kind text not null default 'passkey';

-- How dates are written for the person. An empty language is the one of the browser, and English in mails.
alter table accounts add column language text not null default '';
alter table accounts add column date_format text not null default 'text';
alter table accounts add column clock text not null default '24h';

-- The last sign-ins of an account.
create index audit_log_sign_ins on audit_log (account_id, id) where action = 'account.signed_in';

-- What is left of each account's requests, for all nodes together. SQLite has one node, which counts in memory.
create table account_rate_buckets (
  account_id integer primary key references accounts (id) on delete cascade,
  credit integer not null,
  filled_at integer not null
) strict;
