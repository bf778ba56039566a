-- breaking: no
-- What is left of each project's requests, for all nodes together. Rows are written often and never grow.
create table rate_buckets (
  project_id bigint primary key references projects (id) on delete cascade,
  credit bigint not null,
  filled_at bigint not null
) with (fillfactor = 50);
