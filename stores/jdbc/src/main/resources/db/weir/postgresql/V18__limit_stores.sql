-- Stores of limits beside this database that were used: one that is empty and was used has lost what
-- it kept. Its row is locked while a node prepares it.
create table limit_store (
  name    text    collate "C" not null primary key,
  is_used boolean not null default false
);
