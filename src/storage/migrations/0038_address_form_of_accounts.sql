-- breaking: no
-- What stands in the ping addresses that a person is shown: 'uuid', or 'slug'. It takes the place of projects.address_form.
alter table accounts add column address_form text not null default 'uuid';
update accounts set address_form = 'slug'
 where id in (select owner_id from projects where address_form = 'slug')
    or id in (select account_id from members
               where project_id in (select id from projects where address_form = 'slug'));
