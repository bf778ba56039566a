-- breaking: no
-- How many messages that cost money each account has sent in a month, by what is counted.
create table message_counts (
  account_id bigint not null references accounts (id) on delete cascade,
  counter text not null,
  month text not null,
  used bigint not null,
  -- When people were told that nothing is left.
  told_at bigint,
  primary key (account_id, counter)
);
