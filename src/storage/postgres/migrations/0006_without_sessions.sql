-- breaking: yes
-- Nothing has ever written these. On SQLite an older program reads every table it knows to see that the file is whole.
drop table sessions;
alter table accounts drop column last_active_at;
