-- breaking: no
-- Installations of other programs that were imported.
create table imports (
  id {id},
  -- 'healthchecks' or 'kuma'.
  program text not null,
  -- The same for every import from the same installation.
  identity text not null unique,
  created_at {bigint} not null,
  -- Pings of the source up to this place are here, those of single checks also further ones.
  place {bigint} not null default 0
) {rows};

-- Entries that were imported. One that somebody has deleted here stays deleted.
create table imported (
  import_id {bigint} not null references imports (id) on delete cascade,
  -- 'account', 'project', 'channel' or 'check'.
  kind text not null,
  -- The UUID, or the e-mail address, that it had in the source.
  entry text not null,
  -- Its row here, which may be gone.
  row_id {bigint} not null,
  -- JSON: digests of the values that the last import has written, by field.
  fields text not null,
  -- Of a check: the number of its pings in the source. Pings that came here have higher numbers.
  ping_count {bigint} not null default 0,
  -- Of a check: its pings up to this place are here.
  place {bigint} not null default 0,
  primary key (import_id, kind, entry)
) {rows_by_key};
