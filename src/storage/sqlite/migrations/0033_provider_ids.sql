-- breaking: no
-- How providers call messages about outages, so that the message about the end of an outage can answer the one about its begin.
create table delivery_provider_ids (
  delivery_id integer primary key references deliveries (id) on delete cascade,
  provider_id text not null
) strict;
