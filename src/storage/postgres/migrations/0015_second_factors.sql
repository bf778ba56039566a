-- breaking: yes
-- An older program would let people in without their second factor.

-- Secrets that people share with an app which shows codes.
create table authenticators (
  account_id bigint primary key references accounts (id) on delete cascade,
  sealed_secret text not null,
  -- The time step of the last code that was used. No code works twice.
  last_step bigint not null,
  created_at bigint not null
);

-- Codes for somebody who has lost the app. Each works once.
create table recovery_codes (
  account_id bigint not null references accounts (id) on delete cascade,
  digest text not null,
  primary key (account_id, digest)
);
