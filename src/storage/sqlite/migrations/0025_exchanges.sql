-- breaking: no
-- What was sent in an attempt, and what the provider answered, for people. Neither contains a secret.
alter table attempts add column request text not null default '';
alter table attempts add column answer text not null default '';
-- The first failed attempt since the last one that succeeded. Null while attempts succeed.
alter table channels add column failing_since_at integer;
-- The latest deliveries of a channel are read in this order.
drop index deliveries_channel;
create index deliveries_channel on deliveries (channel_id, id);
