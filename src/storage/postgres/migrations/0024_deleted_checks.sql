-- breaking: yes
-- Deleted checks stay for some days, so that people can restore them. They wait in a project of their own, which belongs
-- to theirs and which nobody can enter. An older program would list it among the projects of its owner.
alter table projects add column bin_of bigint references projects (id) on delete cascade;
create unique index projects_bins on projects (bin_of) where bin_of is not null;

create table deleted_checks (
  check_id bigint primary key references checks (id) on delete cascade,
  -- The project that it was deleted from.
  project_id bigint not null references projects (id) on delete cascade,
  -- The UUID by which it was pinged. The row of the check has another one meanwhile.
  uuid uuid not null unique,
  -- The ids of the channels that were assigned to it, a list in JSON.
  channel_ids text not null,
  deletes_at bigint not null
);
create index deleted_checks_project on deleted_checks (project_id, deletes_at);
create index deleted_checks_due on deleted_checks (deletes_at);

-- The UUID in the keys of its bodies in object storage. Null: the UUID by which it is pinged.
alter table checks add column body_uuid uuid;
