-- For planning: finds the next window with a free place behind any number of full ones, and the
-- runs among any number of removed ones. Removed runs are found by the null.
create index slot_occupancy_plan on slot_occupancy (config_id, grid, kind, plan_micros);
