-- breaking: yes
-- Mails to people who have no account yet, and to an address that is not the account's. An older program does not know
-- what to write in them. SQLite cannot take back that a column is required, so the table is made anew.
create table new_mails (
  id integer primary key autoincrement,
  -- Goes out in the Message-ID; stable over retries.
  uuid text not null unique,
  account_id integer references accounts (id) on delete cascade,
  kind text not null,
  -- JSON.
  parameters text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at integer,
  error text not null default '',
  created_at integer not null,
  finished_at integer,
  leased_until_at integer,
  -- Where it goes; null: to the address of the account.
  address text
) strict;
insert into new_mails
select id, uuid, account_id, kind, parameters, state, attempt_count, next_attempt_at, error, created_at, finished_at,
       leased_until_at, null
  from mails;
-- No id is given out again.
delete from sqlite_sequence where name = 'new_mails';
insert into sqlite_sequence (name, seq) select 'new_mails', seq from sqlite_sequence where name = 'mails';
drop table mails;
alter table new_mails rename to mails;
create index mails_account on mails (account_id, kind, next_attempt_at);
create index mails_finished on mails (finished_at) where finished_at is not null;
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null and leased_until_at is null;
create index mails_leased on mails (leased_until_at) where leased_until_at is not null;
