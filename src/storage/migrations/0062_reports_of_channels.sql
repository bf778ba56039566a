-- breaking: no
-- How often the channel gets the report of its project: 'off', 'daily' or 'weekly', as its settings say.
alter table channels add column report text not null default 'off';
-- When the next one is due. Null: there is none. Zero: its date is to be set.
alter table channels add column next_report_at {bigint};
create index channels_report on channels (next_report_at) where next_report_at is not null;
