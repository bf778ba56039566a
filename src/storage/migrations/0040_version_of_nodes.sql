-- breaking: no
-- The release of the program, so that nobody takes from older programs what they need. Null: the program is older than this column.
alter table watch add column version text;
