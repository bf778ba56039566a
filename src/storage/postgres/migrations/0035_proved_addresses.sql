-- breaking: no
-- When somebody vouched for the address of an account. Who made an account without a password was vouched for: an operator, a
-- provider, a proxy or a mail has made it. People who take an address themselves choose a password.
alter table accounts add column address_proved_at bigint;
update accounts set address_proved_at = created_at where password_hash is null;
