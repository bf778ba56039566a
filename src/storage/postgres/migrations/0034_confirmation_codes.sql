-- breaking: no
-- Only mail had to be confirmed so far. Channels of other kinds that exist stay as they are.
update channels set verified = true where kind <> 'email' and not verified;

-- The code that the recipient of a channel was sent last.
create table channel_codes (
  channel_id bigint primary key references channels (id) on delete cascade,
  -- Of the code, the channel and the recipient, under the server's secret.
  digest text not null,
  expires_at bigint not null
);

-- How many messages that cost money all accounts have sent in a month. It outlives accounts that are closed.
create table instance_message_counts (
  counter text primary key,
  month text not null,
  used bigint not null,
  -- When administrators were told that nothing is left.
  told_at bigint
);
