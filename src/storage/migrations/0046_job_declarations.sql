-- breaking: no
-- Whether jobs may declare their checks: 'off', 'create' or 'follow'.
alter table projects add column job_declarations text not null default 'off';
-- The digest of the declaration that came last, and the answer to it. Null: the next one has to be read.
alter table checks add column declaration_seen text;
-- Facts beside the row of a check, which every ping rewrites.
create table check_notes (
  check_id {bigint} primary key references checks (id) on delete cascade,
  -- JSON: what the job has declared, why it was refused, and when that has changed the check.
  declaration text,
  -- The timing that somebody has called right, although pings contradict it.
  accepted_timing text
) {rows};
