-- Runs of full windows, by the index of planning.
create or replace view full_run as
select config_id, grid, plan_micros as from_micros, until_micros
from slot_occupancy
where kind = 2 and plan_micros is not null;
