-- breaking: no
-- Files also declare status pages, wall displays, saved views and tokens of accounts. The columns mean what they mean for checks.
alter table status_pages add column declared_as text;
alter table status_pages add column declared_by text;
alter table status_pages add column declared_made {boolean} not null default {false};
alter table walls add column declared_as text;
alter table walls add column declared_by text;
alter table walls add column declared_made {boolean} not null default {false};
alter table saved_views add column declared_as text;
alter table saved_views add column declared_by text;
alter table saved_views add column declared_made {boolean} not null default {false};
alter table account_tokens add column declared_as text;
alter table account_tokens add column declared_by text;
alter table account_tokens add column declared_made {boolean} not null default {false};
-- The source that has added the token of another program. Null: people have.
alter table ping_aliases add column declared_by text;
create index ping_aliases_declared on ping_aliases (declared_by) where declared_by is not null;
