-- As V13.1 for PostgreSQL.
alter table concurrency_definition
  add (held_until number(19) default -62135596800000000 not null);
