-- The history of limit stores outside this database: limits themselves are not counted in Oracle.
-- Times are whole microseconds since the epoch; flags are 0 or 1.

-- Limit stores outside this database, such as Redis. The row is locked while a node prepares the
-- store for use.
create table limit_store (
  name              varchar2(255 char) not null,
  is_used           number(1) default 0 not null,
  since_micros      number(19),
  written_at_micros number(19),
  server            number(19),
  joined_at_micros  number(19),
  constraint limit_store_key primary key (name)
);
