-- breaking: yes
-- The roles of members have the names that the program uses. An older program would write the letter.
update members set role = 'member' where role = 'w';
update members set role = 'manager' where role = 'm';
update members set role = 'read_only' where role = 'r';
