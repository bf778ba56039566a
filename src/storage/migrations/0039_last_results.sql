-- breaking: no
-- The last success, and how the last run ended ('success' or 'fail'), for the metrics of projects. Pings write them. For older
-- checks a loop fills them from kept pings.
alter table checks add column last_success_at {bigint};
alter table checks add column last_result text;
