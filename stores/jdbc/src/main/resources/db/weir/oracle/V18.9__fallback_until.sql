-- Until when, by the clock of a node, this database may have granted in place of the store; null if
-- it never has.
alter table limit_store add (fallback_until_micros number(19));
