-- breaking: no
-- What stands in the ping addresses that a project shows: 'uuid', or 'slug'.
alter table projects add column address_form text not null default 'uuid';
