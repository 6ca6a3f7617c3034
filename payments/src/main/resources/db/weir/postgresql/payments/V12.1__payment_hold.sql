-- Feeds whose payments are not called until they are resumed. All nodes read it before each call.
--   feed_no  0: all feeds, also those that arrive later
create table payment_hold (
  held_at bigint not null,
  feed_no int    not null primary key
);
