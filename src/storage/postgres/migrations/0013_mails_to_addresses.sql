-- breaking: yes
-- Mails to people who have no account yet, and to an address that is not the account's. An older program does not know
-- what to write in them.
alter table mails alter column account_id drop not null;
alter table mails add column address text;
