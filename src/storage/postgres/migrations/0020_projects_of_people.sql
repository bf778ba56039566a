-- breaking: yes
-- A project that was deleted stays for some days, so that its owner can restore it. An older program would still send its
-- alerts and accept its keys.
alter table projects add column deletes_at bigint;
create index projects_deletes on projects (deletes_at) where deletes_at is not null;

-- Offers to take a project over, at most one for each project.
create table project_transfers (
  project_id bigint primary key references projects (id) on delete cascade,
  -- The member to whom it is offered.
  account_id bigint not null references accounts (id) on delete cascade,
  created_at bigint not null
);
create index project_transfers_account on project_transfers (account_id);
