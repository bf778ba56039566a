-- breaking: no
-- What a pause took from a check, so that whoever paused it by mistake can undo it. Only the last pause of each check.
create table pauses (
  check_id {bigint} primary key references checks (id) on delete cascade,
  paused_at {bigint} not null,
  -- JSON.
  before text not null
) {rows};
