-- breaking: yes
-- Tags of checks, one a row, so that a filter or a badge reads what it answers. An older program would not keep them in
-- step.

create table check_tags (
  project_id integer not null,
  tag text not null,
  check_id integer not null references checks (id) on delete cascade,
  primary key (project_id, tag, check_id)
) strict, without rowid;
create index check_tags_check on check_tags (check_id);

-- Tags are separated by spaces; other white space around one does not belong to it.
insert or ignore into check_tags (project_id, tag, check_id)
with recursive pieces (project_id, check_id, piece, rest) as (
  select project_id, id, '', tags || ' ' from checks
  union all
  select project_id, check_id, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1)
    from pieces where rest <> ''
)
select project_id, trim(piece, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)), check_id
  from pieces where trim(piece, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)) <> '';
