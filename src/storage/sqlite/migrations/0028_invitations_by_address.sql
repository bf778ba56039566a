-- breaking: no
-- People see the invitations to their address on the page of their projects.
create index invitations_email on invitations (email, id) where email is not null;
