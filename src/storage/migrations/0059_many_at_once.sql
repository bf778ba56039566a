-- breaking: no
-- The message to the channel that tells of this and of others. Until it is settled, the row is open and not sent by itself.
alter table deliveries add column message_id {bigint};

-- Tags whose checks are told of together, in the order in which they are looked for.
create table tags_as_one (
  project_id {bigint} not null references projects (id) on delete cascade,
  position integer not null,
  tag text not null,
  primary key (project_id, position)
) {rows_by_key};

create index channel_messages_together on channel_messages (channel_id, id) where kind = 'together';
