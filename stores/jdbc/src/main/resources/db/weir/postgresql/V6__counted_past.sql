-- Spans of time before slot_book.since for which windows and runs of a grid are stored as well:
-- they were counted from the slots when an event requested such a time. Spans do not touch. Windows
-- before `since` and outside all spans have yet to be counted.
create table counted_span (
  config_id    int    not null,
  grid         int    not null,
  from_micros  bigint not null,
  until_micros bigint not null,
  primary key (config_id, grid, from_micros)
);
