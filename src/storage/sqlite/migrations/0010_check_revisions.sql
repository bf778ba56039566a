-- breaking: yes
-- Grows with every change of what readers see of a check, so that a kept answer can be compared with it. An older program
-- would not raise it.

alter table checks add column revision integer not null default 1;
