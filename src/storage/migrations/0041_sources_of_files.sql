-- breaking: no
-- Several files may declare entries. declared_by is the source that declares the entry; null beside a name in declared_as: the
-- source 'default'. declared_made tells that the source has created the entry, and did not only take over what was there.
alter table projects add column declared_by text;
alter table projects add column declared_made {boolean} not null default {false};
alter table channels add column declared_by text;
alter table channels add column declared_made {boolean} not null default {false};
alter table checks add column declared_by text;
alter table checks add column declared_made {boolean} not null default {false};
-- What a file called a deleted check, so that the file can have it back: JSON of name, source and isMade.
alter table deleted_checks add column declaration text;
