-- Lists, leaked slots, retention and carry-over all select by configuration, state and time. Lists
-- continue by the id among slots of the same time.
create index slot_by_time_and_id on slot (config_id, state, scheduled, event_id);
