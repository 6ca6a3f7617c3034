-- Whose hand-over a message is in, so that a sender that repeats the record of its own, because the
-- answer was lost, does not take that of another one for it; and in which attempt a message was
-- given up, so that a dead letter repeats that failure only. Null if there is none.
alter table notification_message add column attempt uuid;
