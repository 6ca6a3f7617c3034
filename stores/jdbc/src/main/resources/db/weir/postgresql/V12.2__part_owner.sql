-- Which node runs a part that only one node of a database may run, such as the embedded Temporal.
-- The owner holds an advisory lock on a connection of its own. The row tells others who it is, and
-- tells a node whose connection broke that another one has become the owner.
--   owner  an id that a node makes when it starts
--   node   for people: where it runs
create table part_owner (
  owned_at bigint not null,
  owner    uuid   not null,
  part     text   collate "C" not null primary key,
  node     text   not null
);
