-- breaking: no
-- The third outbox: messages to channels that tell of no change of status.
create table channel_messages (
  id {id},
  -- What providers know the message by; stable over retries.
  uuid {uuid} not null unique,
  channel_id {bigint} not null references channels (id) on delete cascade,
  -- Null: it is about no check, or about several.
  check_id {bigint} references checks (id) on delete cascade,
  kind text not null,
  -- JSON.
  parameters text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at {bigint},
  leased_until_at {bigint},
  error text not null default '',
  created_at {bigint} not null,
  finished_at {bigint},
  account_id {bigint} not null default 0,
  -- What was sent in the last attempt, and what the provider answered, for people. Neither contains a secret.
  request text not null default '',
  answer text not null default ''
) {rows};
create index channel_messages_channel on channel_messages (channel_id, id);
create index channel_messages_check on channel_messages (check_id) where check_id is not null;
create index channel_messages_due on channel_messages (next_attempt_at)
  where next_attempt_at is not null and leased_until_at is null;
create index channel_messages_leased on channel_messages (leased_until_at) where leased_until_at is not null;
create index channel_messages_finished on channel_messages (finished_at) where finished_at is not null;
create index channel_messages_turns on channel_messages (account_id, next_attempt_at, id)
  where next_attempt_at is not null and leased_until_at is null;
