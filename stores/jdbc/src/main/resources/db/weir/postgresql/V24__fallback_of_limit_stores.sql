-- Until when, by the clock of a node, this database may have granted in place of the store. Null if
-- it never has.
alter table limit_store add column fallback_until_micros bigint;
