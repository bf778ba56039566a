-- breaking: no
-- JSON: rules for the runs of the check. Empty: none.
alter table checks add column run_rules text not null default '';
-- The last sign of life of the open run after its start.
alter table checks add column last_alive_at {bigint};
-- What was remarkable about the last result, as a sum: exit status 1, short 2, number 4, missing number 8.
alter table checks add column last_flags integer not null default 0;
-- Of a ping that ends a run: when it began, what was remarkable about it, and its declared numbers as JSON.
alter table pings add column run_started_at {bigint};
alter table pings add column run_flags integer;
alter table pings add column run_numbers text;
-- More about the reason: 'missed', 'overran', 'failed', or the rule that a run has broken.
alter table flips add column cause text not null default '';
