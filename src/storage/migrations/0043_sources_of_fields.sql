-- breaking: no
-- Who has set the fields of a check: JSON of writers, each with its time, its name and the fields. Null: nobody, or nobody knows.
alter table checks add column sources text;
