-- breaking: no
-- transaction: no
-- The rows of a message that tells of several.
create index {concurrently} deliveries_together on deliveries (message_id) where message_id is not null;
