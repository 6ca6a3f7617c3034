-- Whose hand-over a message is in, so that a sender that repeats the record of its own, because the
-- answer was lost, does not take that of another one for it. Null if there is none, or if it has
-- ended.
alter table notification_message add column attempt uuid;
