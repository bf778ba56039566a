-- breaking: yes
-- Instants are microseconds since 1970 and end in _at; spans end in their unit.
-- declared_as is what a provisioning file calls the entry; null where no file has declared it. Names and slugs need not be
-- unique, but an entry of a file is there once.

create table accounts (
  id {id},
  uuid {uuid} not null unique,
  email text not null unique,
  password_hash text,
  -- Kept in step with the checks of all the account's projects, so that the limit costs one row to enforce.
  check_count integer not null default 0,
  check_limit integer not null,
  ping_limit integer not null,
  tz text not null default 'UTC',
  reports text not null default 'monthly',
  next_report_at {bigint},
  reminder_seconds integer not null default 0,
  next_reminder_at {bigint},
  created_at {bigint} not null,
  name text not null default '',
  is_admin {boolean} not null default {false},
  theme text not null default 'system',
  -- What groups of the provider have given is taken back when the person leaves them. What people have given stays.
  is_admin_by_group {boolean} not null default {false},
  -- How dates are written for the person. An empty language is the one of the browser, and English in mails.
  language text not null default '',
  date_format text not null default 'text',
  clock text not null default '24h',
  -- Nobody signs in to an account that is not active.
  is_active {boolean} not null default {true},
  -- When somebody vouched for the address: an operator, a provider, a proxy or a mail.
  address_proved_at {bigint}
) {rows};
create index accounts_report on accounts (next_report_at) where next_report_at is not null;
-- Whose first report is to be scheduled.
create index accounts_unscheduled on accounts (id) where next_report_at is null and reports <> 'off';
create index accounts_reminder on accounts (next_reminder_at) where next_reminder_at is not null;
create index accounts_admin on accounts (id) where is_admin;

create table projects (
  id {id},
  uuid {uuid} not null unique,
  owner_id {bigint} not null references accounts (id),
  name text not null,
  badge_key text not null unique,
  -- The ping key is found by its digest, and shown to members by unsealing.
  ping_key_digest text unique,
  ping_key_sealed text,
  created_at {bigint} not null,
  declared_as text,
  -- A project that was deleted stays for some days, so that its owner can restore it.
  deletes_at {bigint},
  -- Deleted checks wait in a project of their own, which belongs to theirs and which nobody can enter.
  bin_of {bigint} references projects (id) on delete cascade,
  -- What stands in the ping addresses that a project shows: 'uuid', or 'slug'.
  address_form text not null default 'uuid'
) {rows};
create index projects_owner on projects (owner_id, name);
create unique index projects_declared on projects (owner_id, declared_as) where declared_as is not null;
create index projects_deletes on projects (deletes_at) where deletes_at is not null;
create unique index projects_bins on projects (bin_of) where bin_of is not null;

create table members (
  project_id {bigint} not null references projects (id) on delete cascade,
  account_id {bigint} not null references accounts (id) on delete cascade,
  role text not null,
  created_at {bigint} not null,
  is_by_group {boolean} not null default {false},
  primary key (project_id, account_id)
) {rows_by_key};
create index members_account on members (account_id);

-- Keys of one name may overlap while one takes the place of the other.
create table api_keys (
  id {id},
  project_id {bigint} not null references projects (id) on delete cascade,
  kind text not null,
  name text not null,
  lookup text not null,
  digest text not null unique,
  created_at {bigint} not null,
  -- Under which secret the digest was made; null where nobody noted it.
  secret_id text,
  -- Names the key in addresses; it opens nothing.
  uuid {uuid} not null default {random_uuid} unique,
  -- By which means it was made, as in the audit log.
  made_by text not null default 'file',
  maker_id {bigint} references accounts (id) on delete set null,
  expires_at {bigint},
  -- Written at most once a minute.
  last_used_at {bigint},
  last_used_addr text
) {rows};
create index api_keys_lookup on api_keys (lookup);
create index api_keys_project on api_keys (project_id);
create index api_keys_maker on api_keys (maker_id);

create table channels (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  kind text not null,
  name text not null,
  settings text not null,
  verified {boolean} not null default {true},
  disabled {boolean} not null default {false},
  last_notify_at {bigint},
  last_notify_micros {bigint},
  last_error text not null default '',
  created_at {bigint} not null,
  declared_as text,
  -- The secrets among the settings.
  sealed_settings text,
  disabled_reason text,
  disabled_error text not null default '',
  disabled_at {bigint},
  -- The first failed attempt since the last one that succeeded. Null while attempts succeed.
  failing_since_at {bigint},
  -- The owner of a project is told once of a channel that fails for long.
  failing_told_at {bigint},
  -- Until when a provider has asked for a pause, or a destination that does not answer is left alone.
  paused_until_at {bigint}
) {rows};
create index channels_project on channels (project_id);
create unique index channels_declared on channels (project_id, declared_as) where declared_as is not null;
create index channels_failing on channels (failing_since_at, id) where failing_since_at is not null;

create table checks (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  badge_key text not null unique,
  unique_key text not null,
  name text not null,
  slug text not null,
  tags text not null,
  description text not null,
  kind text not null,
  timeout_seconds integer not null,
  schedule text not null,
  tz text not null,
  grace_seconds integer not null,
  manual_resume {boolean} not null,
  methods text not null,
  start_keywords text not null,
  success_keywords text not null,
  failure_keywords text not null,
  filter_subject {boolean} not null,
  filter_body {boolean} not null,
  filter_http_body {boolean} not null,
  filter_default_fail {boolean} not null,
  status text not null,
  ping_count {bigint} not null,
  last_received_at {bigint},
  last_ping_at {bigint},
  last_start_at {bigint},
  last_start_rid {uuid},
  run_reported {boolean} not null,
  last_duration_micros {bigint},
  last_flip_at {bigint},
  has_confirmation_link {boolean} not null default {false},
  excused_until_at {bigint},
  deadline_at {bigint},
  -- When to look whether the deadline has passed: then or earlier. Most pings put the deadline off and leave this
  -- alone, so that they change no index.
  alarm_at {bigint},
  created_at {bigint} not null,
  declared_as text,
  -- Grows with every change of what readers see of a check, so that a kept answer can be compared with it.
  revision {bigint} not null default 1,
  -- The UUID in the keys of its bodies in object storage. Null: the UUID by which it is pinged.
  body_uuid {uuid}
) {rows_with_room};
create index checks_project on checks (project_id, id);
create index checks_slug on checks (project_id, slug);
create index checks_name on checks (project_id, name);
create index checks_unique_key on checks (project_id, unique_key);
create index checks_alarm on checks (alarm_at) where alarm_at is not null;
create index checks_excused on checks (excused_until_at) where excused_until_at is not null;
create index checks_down on checks (project_id) where status = 'down';
create unique index checks_declared on checks (project_id, declared_as) where declared_as is not null;

create table check_channels (
  check_id {bigint} not null references checks (id) on delete cascade,
  channel_id {bigint} not null references channels (id) on delete cascade,
  primary key (check_id, channel_id)
) {rows_by_key};
create index check_channels_channel on check_channels (channel_id);

-- No foreign key: whoever adds a ping holds the row of its check, so that to look it up once more for every ping would
-- find out nothing. With a check its pings and their bodies go by a trigger.
create table pings (
  check_id {bigint} not null,
  n {bigint} not null,
  created_at {bigint} not null,
  signal text not null,
  scheme text not null,
  method text not null,
  remote_addr text,
  user_agent text not null,
  rid {uuid},
  exit_status integer,
  body {bytes},
  -- Set when the body is too long for this row: it is in ping_bodies, or has moved from there to object storage.
  long_body_size {bigint},
  primary key (check_id, n)
) {rows_by_key};

-- Bodies that are too long for the rows of pings. When one moves, the row of its ping stays as it is. In SQLite those rows lie
-- within their index, out of whose pages long bodies would spill; these lie in order of arrival, with an index on the side.
create table ping_bodies (
  check_id {bigint} not null,
  n {bigint} not null,
  body {bytes} not null,
  primary key (check_id, n)
) {rows};

-- only sqlite
create trigger checks_pings after delete on checks
begin
  delete from pings where check_id = old.id;
  delete from ping_bodies where check_id = old.id;
end;

-- only postgres
create function delete_pings() returns trigger language plpgsql as $$
begin
  delete from pings where check_id = old.id;
  delete from ping_bodies where check_id = old.id;
  return null;
end
$$;
create trigger checks_pings after delete on checks for each row execute function delete_pings();

create table flips (
  id {id},
  check_id {bigint} not null references checks (id) on delete cascade,
  created_at {bigint} not null,
  old_status text not null,
  new_status text not null,
  reason text not null
) {rows};
create index flips_check on flips (check_id, created_at, id);
create index flips_created on flips (created_at, check_id);

-- The outbox: written in the transaction of the flip, one row for each channel assigned at that moment.
create table deliveries (
  id {id},
  -- What providers and callbacks know the delivery by; stable over retries.
  uuid {uuid} not null unique,
  check_id {bigint} not null references checks (id) on delete cascade,
  channel_id {bigint} not null references channels (id) on delete cascade,
  flip_id {bigint} not null references flips (id) on delete cascade,
  status text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at {bigint},
  error text not null default '',
  created_at {bigint} not null,
  finished_at {bigint},
  -- When a message is due and who is working on it are two facts.
  leased_until_at {bigint},
  -- Accounts take turns in the outboxes. Zero stands for an account that is not known.
  account_id {bigint} not null default 0
) {rows};
create index deliveries_check on deliveries (check_id, channel_id, id);
-- Which message of a check to a channel is next, however many were sent before.
create index deliveries_turn on deliveries (check_id, channel_id, id) where next_attempt_at is not null;
-- A channel is told of a flip once, be it assigned itself, in a group, or in several.
create unique index deliveries_flip on deliveries (flip_id, channel_id);
create index deliveries_due on deliveries (next_attempt_at)
  where next_attempt_at is not null and leased_until_at is null;
create index deliveries_leased on deliveries (leased_until_at) where leased_until_at is not null;
-- The latest deliveries of a channel are read in this order.
create index deliveries_channel on deliveries (channel_id, id);
create index deliveries_turns on deliveries (account_id, next_attempt_at, id)
  where next_attempt_at is not null and leased_until_at is null;
create index deliveries_open_of_channel on deliveries (channel_id) where next_attempt_at is not null;

create table attempts (
  delivery_id {bigint} not null references deliveries (id) on delete cascade,
  n {bigint} not null,
  started_at {bigint} not null,
  duration_micros {bigint},
  error text not null default '',
  -- What was sent in an attempt, and what the provider answered, for people. Neither contains a secret.
  request text not null default '',
  answer text not null default '',
  primary key (delivery_id, n)
) {rows_by_key};

-- When people were last told of a check that changes its status all the time.
create table flapping_notices (
  check_id {bigint} primary key references checks (id) on delete cascade,
  told_at {bigint} not null
) {rows};

-- The other outbox: letters to accounts, composed when they are sent from what the parameters name.
create table mails (
  id {id},
  -- Goes out in the Message-ID; stable over retries.
  uuid {uuid} not null unique,
  account_id {bigint} references accounts (id) on delete cascade,
  kind text not null,
  -- JSON.
  parameters text not null,
  state text not null,
  attempt_count integer not null default 0,
  next_attempt_at {bigint},
  error text not null default '',
  created_at {bigint} not null,
  finished_at {bigint},
  leased_until_at {bigint},
  -- Where it goes; null: to the address of the account.
  address text
) {rows};
create index mails_account on mails (account_id, kind, next_attempt_at);
create index mails_finished on mails (finished_at) where finished_at is not null;
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null and leased_until_at is null;
create index mails_leased on mails (leased_until_at) where leased_until_at is not null;
create index mails_turns on mails (coalesce(account_id, 0), next_attempt_at, id)
  where next_attempt_at is not null and leased_until_at is null;

-- Checks that may have more pings than their owner's limit keeps.
create table prune_queue (
  check_id {bigint} primary key references checks (id) on delete cascade
) {rows};

-- Bodies that are to move to object storage. A claim counts as an attempt and puts off the next one.
create table body_moves (
  check_id {bigint} not null references checks (id) on delete cascade,
  n {bigint} not null,
  attempt_count integer not null default 0,
  next_attempt_at {bigint} not null,
  primary key (check_id, n)
) {rows_by_key};
create index body_moves_due on body_moves (next_attempt_at);

-- Checks some of whose pings are gone while their objects are not: those of all pings up to a number.
create table object_deletions (
  check_uuid {uuid} primary key,
  up_to {bigint} not null,
  attempt_count integer not null default 0,
  next_attempt_at {bigint} not null
) {rows_by_key};
create index object_deletions_due on object_deletions (next_attempt_at);

-- When each node last took pings, to know when all of them were blind.
create table watch (
  node text primary key,
  beat_at {bigint} not null
) {rows_by_key};

-- Times in which no node could have seen a ping.
create table blind_spans (
  id {id},
  from_at {bigint} not null,
  until_at {bigint} not null,
  -- Accounts up to this one were told of it; null once everybody was.
  told_up_to_account_id {bigint} default 0
) {rows};
create index blind_spans_untold on blind_spans (id) where told_up_to_account_id is not null;

-- Work that one node does for all, and when it is to be done next.
create table jobs (
  name text primary key,
  due_at {bigint} not null
) {rows_by_key};

-- Facts about the installation as a whole.
create table instance (
  key text primary key,
  value text not null
) {rows_by_key};

-- What is left of each project's requests, for all nodes together. SQLite has one node, which counts in memory.
create table rate_buckets (
  project_id {bigint} primary key references projects (id) on delete cascade,
  credit {bigint} not null,
  filled_at {bigint} not null
) {rows_half_full};

-- Tags of checks, one a row, so that a filter or a badge reads what it answers.
create table check_tags (
  project_id {bigint} not null,
  tag {text_by_bytes} not null,
  check_id {bigint} not null references checks (id) on delete cascade,
  primary key (project_id, tag, check_id)
) {rows_by_key};
create index check_tags_check on check_tags (check_id);

create table sessions (
  id {id},
  -- Names the session in lists; it opens nothing.
  uuid {uuid} not null unique,
  account_id {bigint} not null references accounts (id) on delete cascade,
  -- Of the token in the cookie.
  token_digest text not null unique,
  created_at {bigint} not null,
  last_seen_at {bigint} not null,
  -- Until then the person need not prove again who they are.
  sudo_until_at {bigint},
  remote_addr text,
  user_agent text not null
) {rows};
create index sessions_seen on sessions (last_seen_at);
create index sessions_created on sessions (created_at);
-- When somebody was last there is asked for each person of a team.
create index sessions_account on sessions (account_id, last_seen_at);

-- Attempts to sign in and the like: when the bucket of the key is full again.
create table attempt_limits (
  key text primary key,
  full_at {bigint} not null
) {rows_by_key};
create index attempt_limits_full on attempt_limits (full_at);

-- Who did what. Rows outlive the account and the project that they name.
create table audit_log (
  id {id},
  created_at {bigint} not null,
  account_id {bigint} references accounts (id) on delete set null,
  -- The name of whoever acted, as it was then.
  actor text not null,
  means text not null,
  remote_addr text,
  project_id {bigint} references projects (id) on delete set null,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  subject_name text not null,
  -- JSON: what was before and after, without secrets.
  details text not null
) {rows};
-- The last sign-ins of an account.
create index audit_log_sign_ins on audit_log (account_id, id) where action = 'account.signed_in';
-- An act of a program has no account, and one on an account no project. Such rows cost those indexes nothing. What is
-- too old is found by its id, since ids rise with time.
create index audit_log_project on audit_log (project_id, created_at, id) where project_id is not null;
create index audit_log_account on audit_log (account_id, id) where account_id is not null;
create index audit_log_account_time on audit_log (account_id, created_at, id) where account_id is not null;

-- Addresses that work once, such as a link to sign in. Only the digest of the secret part is stored.
create table links (
  id {id},
  digest text not null unique,
  purpose text not null,
  account_id {bigint} references accounts (id) on delete cascade,
  -- The e-mail address that the link proves, if it proves one.
  email text,
  created_at {bigint} not null,
  expires_at {bigint} not null
) {rows};
create index links_account on links (account_id);
create index links_email on links (email) where email is not null;
create index links_purpose on links (purpose);
create index links_expiry on links (expires_at);

-- A new address that an account asks for. It is taken once both mailboxes have confirmed it.
create table email_changes (
  account_id {bigint} primary key references accounts (id) on delete cascade,
  new_email text not null,
  is_old_confirmed {boolean} not null default {false},
  is_new_confirmed {boolean} not null default {false},
  expires_at {bigint} not null
) {rows};
create index email_changes_expiry on email_changes (expires_at);

-- Secrets that people share with an app which shows codes.
create table authenticators (
  account_id {bigint} primary key references accounts (id) on delete cascade,
  sealed_secret text not null,
  -- The time step of the last code that was used. No code works twice.
  last_step {bigint} not null,
  created_at {bigint} not null
) {rows};

-- Codes for somebody who has lost the app. Each works once.
create table recovery_codes (
  account_id {bigint} not null references accounts (id) on delete cascade,
  digest text not null,
  primary key (account_id, digest)
) {rows_by_key};

-- Keys that people keep in a device or an account of their own, and sign in with. The public half is here.
create table passkeys (
  id {id},
  uuid {uuid} not null unique,
  account_id {bigint} not null references accounts (id) on delete cascade,
  -- Both in base64url.
  credential_id text not null unique,
  public_key text not null,
  -- How often the device has signed; 0 where it does not count.
  counter {bigint} not null,
  name text not null,
  created_at {bigint} not null,
  last_used_at {bigint},
  -- A `passkey` signs in alone. A `security_key` is asked for beside another proof.
  kind text not null default 'passkey'
) {rows};
create index passkeys_account on passkeys (account_id);

-- Which account belongs to which person of a provider. An address is no name for a person: it may be given to another one.
create table identities (
  id {id},
  uuid {uuid} not null unique,
  account_id {bigint} not null references accounts (id) on delete cascade,
  issuer text not null,
  subject text not null,
  -- The address that the provider named last.
  email text not null,
  created_at {bigint} not null,
  last_used_at {bigint} not null,
  unique (issuer, subject),
  unique (account_id, issuer)
) {rows};

-- What is left of each account's requests, for all nodes together. SQLite has one node, which counts in memory.
create table account_rate_buckets (
  account_id {bigint} primary key references accounts (id) on delete cascade,
  credit {bigint} not null,
  filled_at {bigint} not null
) {rows_half_full};

-- Offers to take a project over, at most one for each project.
create table project_transfers (
  project_id {bigint} primary key references projects (id) on delete cascade,
  -- The member to whom it is offered.
  account_id {bigint} not null references accounts (id) on delete cascade,
  created_at {bigint} not null
) {rows};
create index project_transfers_account on project_transfers (account_id);

-- What lets programs act for a person.
create table account_tokens (
  id {id},
  -- Names the token in lists; it opens nothing.
  uuid {uuid} not null unique,
  account_id {bigint} not null references accounts (id) on delete cascade,
  name text not null,
  -- Characters of the token that lists show.
  lookup text not null,
  digest text not null unique,
  -- JSON: names of permissions.
  scopes text not null,
  -- JSON: ids of the projects in which it works; null: in all.
  project_ids text,
  created_at {bigint} not null,
  expires_at {bigint},
  -- Written at most once a minute.
  last_used_at {bigint},
  last_used_addr text
) {rows};
create index account_tokens_account on account_tokens (account_id);

-- What is left of the requests of each account's tokens, as above.
create table token_rate_buckets (
  account_id {bigint} primary key references accounts (id) on delete cascade,
  credit {bigint} not null,
  filled_at {bigint} not null
) {rows_half_full};

-- Invitations to projects. Only the digest of the secret part of a link is stored.
create table invitations (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  digest text not null unique,
  -- The address that it was mailed to. Null: whoever has the link may join.
  email text,
  role text not null,
  -- Null: the program.
  invited_by {bigint} references accounts (id) on delete cascade,
  created_at {bigint} not null,
  expires_at {bigint} not null
) {rows};
create index invitations_project on invitations (project_id, email);
create index invitations_inviter on invitations (invited_by);
create index invitations_expiry on invitations (expires_at);
-- People see the invitations to their address on the page of their projects.
create index invitations_email on invitations (email, id) where email is not null;

-- Administrators in projects of others, each in one session and for a while.
create table administrator_visits (
  session_id {bigint} not null references sessions (id) on delete cascade,
  project_id {bigint} not null references projects (id) on delete cascade,
  ends_at {bigint} not null,
  primary key (session_id, project_id)
) {rows_by_key};
create index administrator_visits_project on administrator_visits (project_id);

create table deleted_checks (
  check_id {bigint} primary key references checks (id) on delete cascade,
  -- The project that it was deleted from.
  project_id {bigint} not null references projects (id) on delete cascade,
  -- The UUID by which it was pinged. The row of the check has another one meanwhile.
  uuid {uuid} not null unique,
  -- The ids of the channels that were assigned to it, a list in JSON.
  channel_ids text not null,
  deletes_at {bigint} not null
) {rows};
create index deleted_checks_project on deleted_checks (project_id, deletes_at);
create index deleted_checks_due on deleted_checks (deletes_at);

-- Pages that tell outsiders how checks are doing, and what people tell there.
create table status_pages (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  slug text not null unique,
  title text not null,
  about text not null,
  tz text not null,
  is_published {boolean} not null,
  -- JSON: names of components with the tag or the unique key of the check that each covers.
  components text not null,
  -- Raised by every change of the page and of what it tells.
  revision {bigint} not null,
  created_at {bigint} not null
) {rows};
create index status_pages_project on status_pages (project_id);

-- Incidents and planned maintenances.
create table status_notices (
  id {id},
  uuid {uuid} not null unique,
  page_id {bigint} not null references status_pages (id) on delete cascade,
  kind text not null,
  title text not null,
  -- JSON: ids of components.
  component_ids text not null,
  starts_at {bigint} not null,
  ends_at {bigint},
  created_at {bigint} not null
) {rows};
create index status_notices_page on status_notices (page_id, starts_at);

create table status_updates (
  id {id},
  uuid {uuid} not null unique,
  notice_id {bigint} not null references status_notices (id) on delete cascade,
  state text not null,
  text text not null,
  created_at {bigint} not null,
  author text not null
) {rows};
create index status_updates_notice on status_updates (notice_id, id);

-- Screens that show a project to whoever stands before them. The address of each contains a token.
create table walls (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  name text not null,
  -- Characters of the token that lists show.
  lookup text not null,
  digest text not null unique,
  maker_id {bigint} references accounts (id) on delete set null,
  created_at {bigint} not null
) {rows};
create index walls_project on walls (project_id);
create index walls_maker on walls (maker_id);

-- What the first attempt of a delivery told, so that a later one tells the same. It is there while the delivery is open.
create table delivery_stories (
  delivery_id {bigint} primary key references deliveries (id) on delete cascade,
  story text not null
) {rows};

-- Filters and orders of lists of checks that people keep under names.
create table saved_views (
  id {id},
  uuid {uuid} not null unique,
  project_id {bigint} not null references projects (id) on delete cascade,
  account_id {bigint} not null references accounts (id) on delete cascade,
  name text not null,
  -- The query of the address of the list.
  query text not null,
  -- Whether everybody in the project sees it.
  is_shared {boolean} not null,
  created_at {bigint} not null
) {rows};
create index saved_views_project on saved_views (project_id);
create index saved_views_account on saved_views (account_id);

-- How many messages that cost money each account has sent in a month, by what is counted.
create table message_counts (
  account_id {bigint} not null references accounts (id) on delete cascade,
  counter text not null,
  month text not null,
  used {bigint} not null,
  -- When people were told that nothing is left.
  told_at {bigint},
  primary key (account_id, counter)
) {rows};

-- How providers call messages about outages, so that the message about the end of an outage can answer the one about its begin.
create table delivery_provider_ids (
  delivery_id {bigint} primary key references deliveries (id) on delete cascade,
  provider_id text not null
) {rows};

-- The code that the recipient of a channel was sent last.
create table channel_codes (
  channel_id {bigint} primary key references channels (id) on delete cascade,
  -- Of the code, the channel and the recipient, under the server's secret.
  digest text not null,
  expires_at {bigint} not null
) {rows};

-- How many messages that cost money all accounts have sent in a month. It outlives accounts that are closed.
create table instance_message_counts (
  counter text primary key,
  month text not null,
  used {bigint} not null,
  -- When administrators were told that nothing is left.
  told_at {bigint}
) {rows};
