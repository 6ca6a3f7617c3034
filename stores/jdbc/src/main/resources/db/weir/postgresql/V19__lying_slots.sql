-- Number of events of a window that got their slots in windows of another size: their times are
-- between its places. When an event leaves such a window, the window is rebuilt from its slots.
alter table slot_window add column lying int not null default 0;

-- The number is unknown for existing windows; it is set when they are rebuilt.
update slot_window w set lying = w.taken
where exists (
  select 1 from slot_config c join slot_config other using (config_id)
  where c.config_id = w.config_id and c.window_micros <> other.window_micros);
