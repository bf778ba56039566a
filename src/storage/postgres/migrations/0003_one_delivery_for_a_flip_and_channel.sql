-- breaking: no
-- A channel is told of a flip once, be it assigned itself, in a group, or in several.
drop index deliveries_flip;
create unique index deliveries_flip on deliveries (flip_id, channel_id);
