-- Why Weir itself holds all payments; empty if an operator does.
alter table payment_hold add column reason text not null default '';

-- When it was noticed that the database had been restored to an older state. Payments of feeds that
-- came before may have been made although no call is recorded.
create table payment_restore (
  noticed_at bigint not null primary key
);
