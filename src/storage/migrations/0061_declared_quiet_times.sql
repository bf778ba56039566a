-- breaking: no
-- Files can declare quiet times, as they do calendars.
alter table quiet_times add column declared_as text;
alter table quiet_times add column declared_by text;
alter table quiet_times add column declared_made {boolean} not null default {false};
