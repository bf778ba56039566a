-- breaking: no
-- Outages that are over, and whose end a channel is still to hear.
create index outages_ending on outages (check_id) where ended_at is not null and wake_at is not null;
