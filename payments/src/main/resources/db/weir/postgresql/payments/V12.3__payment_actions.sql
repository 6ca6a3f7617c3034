-- What operators did to feeds: append-only, never changed.
--   action    hold, resume, cancel or retry
--   feed_id   empty: all feeds
--   payments  how many payments it changed
--   actor     who asked for it, as far as that is known
create table payment_action (
  acted_at bigint not null,
  payments bigint not null,
  action   text   not null,
  feed_id  text   not null,
  actor    text   not null
);

create index payment_action_by_time on payment_action (acted_at);

-- Payments by how and when they ended.
create index payment_audit_by_end on payment_audit (state, ended_at, payment_id);
