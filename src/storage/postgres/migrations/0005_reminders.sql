-- breaking: yes
-- One word for one thing: code, settings and mails say reminder.
alter table accounts rename column nag_period_seconds to reminder_seconds;
alter table accounts rename column next_nag_at to next_reminder_at;
alter index accounts_nag rename to accounts_reminder;
