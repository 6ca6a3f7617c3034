-- The latest mark that any node has seen in the store: a store that is behind it has lost data. All
-- null until a node has told of one.
alter table limit_store
  add column since_micros      bigint,
  add column written_at_micros bigint,
  add column server            bigint,
  add column joined_at_micros  bigint;
