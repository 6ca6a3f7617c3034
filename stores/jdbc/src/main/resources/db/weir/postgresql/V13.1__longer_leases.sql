-- A resource whose leases got a shorter time to live: when the last one with a longer time ends, so
-- that a lease store that loses its data waits for it. A node of the version before leaves it as it is.
alter table concurrency_definition
  add column held_until bigint not null default -62135596800000000;
