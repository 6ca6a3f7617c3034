-- Leases of a resource, and tickets in its queue: the LiveLeases of core.
create table lease (
  resource_name varchar2(255 char) not null,
  lease_id      varchar2(255 char) not null,
  places        number(10) not null,
  expires_at    number(19) not null,
  constraint lease_key primary key (resource_name, lease_id)
);
