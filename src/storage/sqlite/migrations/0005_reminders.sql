-- breaking: yes
-- One word for one thing: code, settings and mails say reminder.
alter table accounts rename column nag_period_seconds to reminder_seconds;
alter table accounts rename column next_nag_at to next_reminder_at;
drop index accounts_nag;
create index accounts_reminder on accounts (next_reminder_at) where next_reminder_at is not null;
