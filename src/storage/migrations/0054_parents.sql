-- breaking: no
-- Unique keys of checks without which this one cannot work, and UUIDs of integrations that are told of each success, with commas.
alter table checks add column parents text not null default '';
alter table checks add column done_channels text not null default '';

-- The same as ids: who waits for a check is looked up when it changes.
create table check_parents (
  check_id {bigint} not null references checks (id) on delete cascade,
  parent_id {bigint} not null references checks (id) on delete cascade,
  primary key (check_id, parent_id)
) {rows_by_key};
create index check_parents_parent on check_parents (parent_id);

-- A newer message of the same kind about the same check takes the place of one that was not sent yet.
create index channel_messages_open on channel_messages (check_id, channel_id)
  where next_attempt_at is not null and check_id is not null;
