-- breaking: no
-- The owner of a project is told once of a channel that fails for long.
alter table channels add column failing_told_at bigint;
create index channels_failing on channels (failing_since_at, id) where failing_since_at is not null;
