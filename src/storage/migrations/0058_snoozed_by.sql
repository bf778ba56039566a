-- breaking: no
-- Who has snoozed it, for people.
alter table checks add column snoozed_by text;
