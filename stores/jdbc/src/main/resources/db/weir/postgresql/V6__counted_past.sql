-- Spans of time before a book's `since` for which windows and runs of a grid are stored as well:
-- they were counted from the slots when an event asked for such a time. Spans do not touch. What
-- lies before `since` and in no span has yet to be counted.
create table counted_span (
  config_id    int    not null,
  grid         int    not null,
  from_micros  bigint not null,
  until_micros bigint not null,
  primary key (config_id, grid, from_micros)
);
