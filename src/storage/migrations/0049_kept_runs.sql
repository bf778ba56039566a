-- breaking: no
-- Failures in a row, with the runs that were missed before each of them.
alter table checks add column bad_count integer not null default 0;
-- Since when runs are expected as they are now. Null: since the first ping.
alter table checks add column timed_at {bigint};
-- Failures and warnings whose pings are gone, by the number of the ping that ended the run.
create table kept_runs (
  check_id {bigint} not null references checks (id) on delete cascade,
  n {bigint} not null,
  rid {uuid},
  started_at {bigint},
  ended_at {bigint} not null,
  result text not null,
  flags integer,
  exit_status integer,
  numbers text,
  -- The last bytes of its body. Null if there was none, or if it was in object storage.
  excerpt {bytes},
  kept_until_at {bigint} not null,
  primary key (check_id, n)
) {rows_by_key};
create index kept_runs_kept_until_at on kept_runs (kept_until_at);
create index kept_runs_check_ended_at on kept_runs (check_id, ended_at);
