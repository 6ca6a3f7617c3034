-- A resource that has leases. A transaction that writes its leases locks it.
--   remove_at  a time at or after which the last lease expires; set ahead, as in limit_usage
create table lease_resource (
  resource_name varchar2(255 char) not null,
  remove_at     number(19) not null,
  constraint lease_resource_key primary key (resource_name)
);
