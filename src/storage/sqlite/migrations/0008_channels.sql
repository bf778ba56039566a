-- breaking: yes
-- Secrets among the settings of channels leave "settings", where an older program looks for them, and are sealed here. The
-- program moves them: see services/channel-settings.ts.
alter table channels add column sealed_settings text;

-- Why a channel is disabled; null where an older program has disabled it.
alter table channels add column disabled_reason text;
alter table channels add column disabled_error text not null default '';
alter table channels add column disabled_at integer;

-- Under which secret the digest was made; null where nobody noted it.
alter table api_keys add column secret_id text;
