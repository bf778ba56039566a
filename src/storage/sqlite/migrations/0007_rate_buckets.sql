-- breaking: no
-- What is left of each project's requests, for all nodes together. SQLite has one node, which counts in memory.
create table rate_buckets (
  project_id integer primary key references projects (id) on delete cascade,
  credit integer not null,
  filled_at integer not null
) strict;
