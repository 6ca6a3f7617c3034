-- The fields of a rule that have no column of their own, as name=value&name=value, encoded like a
-- query string, so in ASCII; null: none. A node of the version before does not know it and writes no
-- such field.
alter table rule_version add (more varchar2(4000 char));
