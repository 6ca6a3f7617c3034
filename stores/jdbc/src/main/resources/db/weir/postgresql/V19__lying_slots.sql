-- How many events of a window were given their slots in windows of another size: they lie between
-- its places. When an event leaves such a window, it is built anew from its slots.
alter table slot_window add column lying int not null default 0;

-- Of windows that are there it is not known; being built anew, they find out.
update slot_window w set lying = w.taken
where exists (
  select 1 from slot_config c join slot_config other using (config_id)
  where c.config_id = w.config_id and c.window_micros <> other.window_micros);
