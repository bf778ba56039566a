-- breaking: yes
-- needs: 0.1
-- transaction: no
-- A channel is told of a flip once, and once by each repeat.
create unique index {concurrently} deliveries_message on deliveries (flip_id, channel_id, ordinal);
drop index if exists deliveries_flip;
