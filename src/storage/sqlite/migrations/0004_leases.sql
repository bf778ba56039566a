-- breaking: yes
-- When a message is due and who is working on it are two facts. An older program knows only the first, and would send
-- again what another node is sending.
alter table deliveries add column leased_until_at integer;
drop index deliveries_open;
create index deliveries_due on deliveries (next_attempt_at)
  where next_attempt_at is not null and leased_until_at is null;
create index deliveries_leased on deliveries (leased_until_at) where leased_until_at is not null;

alter table mails add column leased_until_at integer;
drop index mails_open;
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null and leased_until_at is null;
create index mails_leased on mails (leased_until_at) where leased_until_at is not null;
