-- Replaced by slot_by_time_and_id.
drop index slot_by_time;
