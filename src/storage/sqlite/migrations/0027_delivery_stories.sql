-- breaking: no
-- What the first attempt of a delivery told, so that a later one tells the same. It is there while the delivery is open.
create table delivery_stories (
  delivery_id integer primary key references deliveries (id) on delete cascade,
  story text not null
) strict;
