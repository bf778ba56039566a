-- breaking: no
-- The name of the policy by which outages of the check are told. Empty: that of a tag or of the project.
alter table checks add column policy text not null default '';
-- Whether the plan wants to know of ends of runs that change no status.
alter table checks add column is_heard {boolean} not null default {false};
update checks set is_heard = {true} where id in (select check_id from outages where ended_at is null);
