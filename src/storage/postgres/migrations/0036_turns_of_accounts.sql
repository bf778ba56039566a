-- breaking: no
-- Accounts take turns in the outboxes. Zero stands for rows whose account is not known: those of older programs, and mails
-- to people who have none.
alter table deliveries add column account_id bigint not null default 0;
update deliveries
   set account_id = coalesce(
         (select projects.owner_id from checks join projects on projects.id = checks.project_id
           where checks.id = deliveries.check_id), 0)
 where next_attempt_at is not null;
create index deliveries_turns on deliveries (account_id, next_attempt_at, id)
  where next_attempt_at is not null and leased_until_at is null;
create index deliveries_open_of_channel on deliveries (channel_id) where next_attempt_at is not null;
create index mails_turns on mails (coalesce(account_id, 0), next_attempt_at, id)
  where next_attempt_at is not null and leased_until_at is null;

-- Until when a provider has asked for a pause, or a destination that does not answer is left alone.
alter table channels add column paused_until_at bigint;
