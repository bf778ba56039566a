-- breaking: yes
-- Tags of checks, one a row, so that a filter or a badge reads what it answers. An older program would not keep them in
-- step.

create table check_tags (
  project_id bigint not null,
  tag text collate "C" not null,
  check_id bigint not null references checks (id) on delete cascade,
  primary key (project_id, tag, check_id)
);
create index check_tags_check on check_tags (check_id);

-- Tags are separated by spaces; other white space around one does not belong to it.
insert into check_tags (project_id, tag, check_id)
select distinct project_id, tag, id
  from checks, lateral (
    select btrim(piece, E'\u0009\u000a\u000b\u000c\u000d\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff') as tag from unnest(string_to_array(tags, ' ')) as piece
  ) as pieces
 where tag <> '';
