-- Slots in Oracle 19c and later: configurations, the slots of events, and the occupancy of windows.
-- The tables have the names that they have in PostgreSQL; docs/stores.md maps them to the names of
-- the usual design. Migrations are numbered by capability, as in PostgreSQL.
--
-- Times are whole microseconds since the epoch; the views with the ending _readable show them as
-- timestamps in UTC. Flags are numbers, 0 or 1. An empty text is null to Oracle, so columns that may
-- be empty are nullable.

-- One row for each configuration.
--   version  the version in force
--   grid     number of the current layout of windows (size, limit, spread, calendar): the rows of
--            slot_occupancy and counted_span belong to one grid, and a change of the layout starts
--            the next
--   since    time from which the windows of this grid are complete; before it, windows are counted
--            from slots when they are needed, see counted_span
create table slot_config (
  config_id number(10) generated always as identity primary key,
  name      varchar2(100 char) not null,
  version   number(10) not null,
  grid      number(10) not null,
  since     number(19) not null,
  constraint slot_config_name unique (name)
);

-- Versions of configurations: append-only, never changed, never deleted.
create table slot_config_version (
  config_id        number(10) not null,
  version          number(10) not null,
  max_per_window   number(10) not null,
  window_micros    number(19) not null,
  spread           varchar2(20 char) not null,
  max_delay_micros number(19),
  not_before       varchar2(20 char) not null,
  calendar         clob,
  paused_until     number(19),
  created_at       number(19) not null,
  constraint slot_config_version_key primary key (config_id, version)
);

-- Slots of events. An event has one slot in all configurations together.
--   version  the version of the configuration that the slot was assigned under
--   state    0 assigned, 1 confirmed, 2 cancelled, 3 reclaimed
create table slot (
  event_id     varchar2(256 char) not null,
  config_id    number(10) not null,
  version      number(10) not null,
  requested    number(19) not null,
  window_start number(19) not null,
  place        number(10) not null,
  scheduled    number(19) not null,
  assigned_at  number(19) not null,
  state        number(1) not null,
  constraint slot_key primary key (event_id)
);

-- Lists, leaked slots, retention and carry-over all select by configuration, state and time.
create index slot_by_time on slot (config_id, state, scheduled);

-- Everything of a configuration that a batch changes besides the slots. It is one table, so that
-- one statement with an array of parameters writes all of it.
--   kind 0  the lock of the configuration, in grid 0 at 0. A transaction that writes windows locks
--           this row. until_micros is a sequence number that advances with each change, so that a
--           node can tell whether its cached view is current.
--   kind 1  a window that holds events
--             taken     number of taken places
--             off_grid  number of events whose slots were assigned in windows of another size, so
--                       that their times are between the places. When an event leaves such a
--                       window, the window is rebuilt from its slots.
--             places    bitmap of the taken places, place 0 in the lowest bit of the first byte
--   kind 2  a run of adjacent full windows: one look-up skips any number of them. A run that ends
--           where it begins was removed.
create table slot_occupancy (
  config_id    number(10) not null,
  grid         number(10) not null,
  kind         number(1) not null,
  start_micros number(19) not null,
  until_micros number(19) not null,
  taken        number(10) not null,
  off_grid     number(10) not null,
  is_full      number(1) not null,
  places       blob,
  constraint slot_occupancy_key primary key (config_id, grid, kind, start_micros)
);

-- The two kinds as the tables that they are in PostgreSQL.
create view slot_window as
select config_id, grid, start_micros, taken, off_grid, is_full, places
from slot_occupancy
where kind = 1;

create view full_run as
select config_id, grid, start_micros as from_micros, until_micros
from slot_occupancy
where kind = 2 and until_micros > start_micros;

-- Spans of time before slot_config.since whose windows and runs are stored as well: they were
-- counted from the slots when an event requested such a time. Spans do not touch. Windows before
-- since and outside all spans have not been counted yet.
create table counted_span (
  config_id    number(10) not null,
  grid         number(10) not null,
  from_micros  number(19) not null,
  until_micros number(19) not null,
  constraint counted_span_key primary key (config_id, grid, from_micros)
);

-- Tasks of which one node at a time runs each. It holds a lock on the row meanwhile.
create table exclusive_task (
  lock_number number(19) not null,
  description varchar2(100 char) not null,
  constraint exclusive_task_key primary key (lock_number)
);

insert into exclusive_task (lock_number, description) values (2003134834, 'upkeep of slots');

-- Changes that all nodes have to know of, by kind. Every node polls the counters.
create table change_counter (
  channel varchar2(30 char) not null,
  changes number(19) not null,
  constraint change_counter_key primary key (channel)
);

insert into change_counter (channel, changes) values ('weir_slot_config', 0);
insert into change_counter (channel, changes) values ('weir_rule', 0);
insert into change_counter (channel, changes) values ('weir_route', 0);
insert into change_counter (channel, changes) values ('weir_bucket', 0);
insert into change_counter (channel, changes) values ('weir_concurrency', 0);

-- For operators: slots with readable times.
create view slot_readable as
select s.event_id,
       c.name as config_name,
       s.version as config_version,
       timestamp '1970-01-01 00:00:00' + s.requested * interval '0.000001' second(2, 6)
         as requested_time,
       timestamp '1970-01-01 00:00:00' + s.scheduled * interval '0.000001' second(2, 6)
         as scheduled_time,
       timestamp '1970-01-01 00:00:00' + s.window_start * interval '0.000001' second(2, 6)
         as window_start,
       s.place,
       case s.state when 0 then 'assigned' when 1 then 'confirmed' when 2 then 'cancelled'
         else 'reclaimed' end as state,
       timestamp '1970-01-01 00:00:00' + s.assigned_at * interval '0.000001' second(2, 6)
         as assigned_at
from slot s
join slot_config c on c.config_id = s.config_id;

-- For operators: windows in use, with readable times.
create view slot_window_readable as
select c.name as config_name,
       timestamp '1970-01-01 00:00:00' + o.start_micros * interval '0.000001' second(2, 6)
         as window_start,
       timestamp '1970-01-01 00:00:00' + o.until_micros * interval '0.000001' second(2, 6)
         as window_end,
       o.taken,
       o.is_full
from slot_occupancy o
join slot_config c on c.config_id = o.config_id and c.grid = o.grid
where o.kind = 1;
