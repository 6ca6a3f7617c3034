-- Stores of limits outside this database that have been used: one that is empty although it was
-- used has lost its data. Its row is locked while a node prepares it.
create table limit_store (
  name    text    collate "C" not null primary key,
  is_used boolean not null default false
);
