-- breaking: no
-- What a provisioning file calls the entry; null where no file has declared it. Names and slugs themselves need not be
-- unique, but a file's entry is there once. Entries that are there twice already stay as they are: none has a value here
-- until a file is applied, which then takes the oldest.

alter table projects add column declared_as text;
alter table channels add column declared_as text;
alter table checks add column declared_as text;

create unique index projects_declared on projects (owner_id, declared_as) where declared_as is not null;
create unique index channels_declared on channels (project_id, declared_as) where declared_as is not null;
create unique index checks_declared on checks (project_id, declared_as) where declared_as is not null;
