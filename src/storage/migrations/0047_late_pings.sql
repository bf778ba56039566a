-- breaking: no
-- When the thing happened that a ping reports, if it came late. Null: just before it came.
alter table pings add column occurred_at {bigint};
