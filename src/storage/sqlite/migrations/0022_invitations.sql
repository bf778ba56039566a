-- breaking: yes
-- Invitations to projects. Only the digest of the secret part of a link is stored. An older program would not know what to
-- write in their mails.
create table invitations (
  id integer primary key autoincrement,
  uuid text not null unique,
  project_id integer not null references projects (id) on delete cascade,
  digest text not null unique,
  -- The address that it was mailed to. Null: whoever has the link may join.
  email text,
  role text not null,
  -- Null: the program.
  invited_by integer references accounts (id) on delete cascade,
  created_at integer not null,
  expires_at integer not null
) strict;
create index invitations_project on invitations (project_id, email);
create index invitations_inviter on invitations (invited_by);
create index invitations_expiry on invitations (expires_at);

-- When somebody was last there is asked for each person of a team.
drop index sessions_account;
create index sessions_account on sessions (account_id, last_seen_at);
