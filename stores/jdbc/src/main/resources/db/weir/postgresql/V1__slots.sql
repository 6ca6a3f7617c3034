-- Slots: configurations, the slots of events, and the occupancy of windows.
--
-- Migrations are numbered by capability: 1 slots, 2 limits, 3 rules, 4 routes; 5 is reserved for
-- notifications and 6 for payments. A later change of slots is V1.1, the next V1.2, and so on.
--
-- Times are whole microseconds since the epoch; the view slot_readable shows them as timestamps.

-- One row for each configuration. A transaction that writes its windows locks it.
--   version  the version in force
--   seq      advances with each change of windows, so that a node can tell whether its cached view
--            is current
--   grid     number of the current layout of windows (size, limit, spread, calendar): the rows of
--            slot_window, full_run and counted_span belong to one grid, and a change of the layout
--            starts the next
--   since    time from which the windows of this grid are complete; before it, windows are counted
--            from slots when they are needed, see counted_span
create table slot_config (
  config_id int    generated always as identity primary key,
  name      text   collate "C" not null unique,
  version   int    not null,
  grid      int    not null,
  since     bigint not null,
  seq       bigint not null
) with (fillfactor = 50);

-- Versions of configurations: append-only, never changed, never deleted.
create table slot_config_version (
  config_id        int    not null,
  version          int    not null,
  max_per_window   int    not null,
  window_micros    bigint not null,
  spread           text   not null,
  max_delay_micros bigint,          -- null: no bound
  not_before       text   not null,
  calendar         text,            -- null: always open
  paused_until     bigint,          -- null: not paused
  created_at       bigint not null,
  primary key (config_id, version)
);

-- Slots of events. An event has one slot in all configurations together.
--   version  the version of the configuration that the slot was assigned under
--   state    0 assigned, 1 confirmed, 2 cancelled, 3 reclaimed
create table slot (
  requested    bigint   not null,
  window_start bigint   not null,
  scheduled    bigint   not null,
  assigned_at  bigint   not null,
  config_id    int      not null,
  version      int      not null,
  place        int      not null,
  state        smallint not null,
  event_id     text     collate "C" not null primary key
);

-- Lists, leaked slots, retention and carry-over all select by configuration, state and time.
create index slot_by_time on slot (config_id, state, scheduled);

-- Windows that hold events.
--   places    bitmap of the taken places, place 0 in the lowest bit of the first byte
--   off_grid  number of events whose slots were assigned in windows of another size, so that their
--             times are between the places. When an event leaves such a window, the window is
--             rebuilt from its slots.
create table slot_window (
  config_id    int     not null,
  grid         int     not null,
  start_micros bigint  not null,
  taken        int     not null,
  off_grid     int     not null,
  is_full      boolean not null,
  places       bytea   not null,
  primary key (config_id, grid, start_micros)
) with (fillfactor = 70);

-- For planning: windows in use that have free places. Full ones are in full_run.
create index slot_window_open on slot_window (config_id, grid, start_micros) where not is_full;

-- Runs of adjacent full windows: one look-up skips any number of them.
create table full_run (
  config_id    int    not null,
  grid         int    not null,
  from_micros  bigint not null,
  until_micros bigint not null,
  primary key (config_id, grid, from_micros)
) with (fillfactor = 50);

-- Spans of time before slot_config.since whose windows and runs are stored as well: they were
-- counted from the slots when an event requested such a time. Spans do not touch. Windows before
-- `since` and outside all spans have not been counted yet.
create table counted_span (
  config_id    int    not null,
  grid         int    not null,
  from_micros  bigint not null,
  until_micros bigint not null,
  primary key (config_id, grid, from_micros)
);

-- For operators: slots with readable times.
create view slot_readable as
select s.event_id,
       c.name as config_name,
       s.version as config_version,
       'epoch'::timestamptz + s.requested * interval '1 microsecond' as requested_time,
       'epoch'::timestamptz + s.scheduled * interval '1 microsecond' as scheduled_time,
       'epoch'::timestamptz + s.window_start * interval '1 microsecond' as window_start,
       s.place,
       (array['assigned', 'confirmed', 'cancelled', 'reclaimed'])[s.state + 1] as state,
       'epoch'::timestamptz + s.assigned_at * interval '1 microsecond' as assigned_at
from slot s
join slot_config c on c.config_id = s.config_id;
