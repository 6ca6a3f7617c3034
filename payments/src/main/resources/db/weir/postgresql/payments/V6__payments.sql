-- Payments: the feeds that they came with, the payments, the calls of the downstream, and what
-- became of each payment. Times are whole microseconds since the epoch.

-- Feeds. A transaction that adds records to one locks it.
--   state      0 receiving, 1 starting, 2 started, 3 done
--   reception  tells the current reception from one that was given up: only the current one may
--              add records
--   received_at  when records were last added
--   digest     of the records of a feed that is complete, to tell it from another one; empty before
--   the counts are of records: those that were read, those that became payments, those that
--   repeat a known payment, and those that were rejected
create table payment_feed (
  feed_no        int      generated always as identity primary key,
  state          smallint not null,
  reception      bigint   not null,
  read_count     bigint   not null,
  accepted_count bigint   not null,
  repeated_count bigint   not null,
  rejected_count bigint   not null,
  created_at     bigint   not null,
  received_at    bigint   not null,
  config_name    text     collate "C" not null,
  digest         text     collate "C" not null,
  feed_id        text     collate "C" not null unique
) with (fillfactor = 50);

-- For the reconciler: feeds that have open payments, or payments without a workflow.
create index payment_feed_open on payment_feed (feed_no) where state in (1, 2);

-- Receptions that may have been given up.
create index payment_feed_receiving on payment_feed (received_at) where state = 0;

-- Payments. A row is written once when its feed is received, and changes when the payment runs and
-- when it ends. One that gets no slot is removed, and its record is among the rejected ones.
--   state      1 scheduled, 2 running, 3 paid, 4 failed, 5 cancelled
--   line       the line of the feed
--   requested  the wanted time; null: now
--   slotless_since  when it was first found to have no slot although it was due; null: never
create table payment (
  line             bigint   not null,
  requested        bigint,
  slotless_since   bigint,
  feed_no          int      not null,
  attempts         int      not null,
  state            smallint not null,
  amount           numeric  not null,
  currency         text     not null,
  debtor_account   text     not null,
  creditor_account text     not null,
  reference        text     not null,
  config_name      text     collate "C" not null,
  payment_id       text     collate "C" not null primary key
) with (fillfactor = 90);

-- Payments that are to be made: those of a chunk, and how many of a feed. It has no entry for a
-- payment that has ended, so it shrinks while the feed is paid.
create index payment_open on payment (feed_no, line) where state in (1, 2);

-- Those that ended without being paid, which are few: what is neither open nor here is paid.
create index payment_unpaid on payment (feed_no, state) where state in (4, 5);

-- Payments of feeds that are being received which another feed contains too, and came first with:
-- that one has the row in payment. When a feed is complete, its claims become payments, repeated
-- records or rejected ones.
create table payment_claim (
  line             bigint  not null,
  requested        bigint,
  feed_no          int     not null,
  amount           numeric not null,
  currency         text    not null,
  debtor_account   text    not null,
  creditor_account text    not null,
  reference        text    not null,
  config_name      text    collate "C" not null,
  payment_id       text    collate "C" not null,
  primary key (feed_no, payment_id)
);

-- Records that were rejected, as they were in the feed.
--   payment_id  empty if it could not be read
create table payment_reject (
  feed_no    int    not null,
  line       bigint not null,
  payment_id text   collate "C" not null,
  reason     text   not null,
  record     text   not null,
  primary key (feed_no, line)
);

create index payment_reject_by_id on payment_reject (payment_id) where payment_id <> '';

-- Adjacent payments of a feed that got their slots and are handed to Temporal together. Its payments
-- are those with after_line < line <= last_line.
create table payment_chunk (
  feed_no         int     not null,
  after_line      bigint  not null,
  last_line       bigint  not null,
  slots           int     not null,
  without_slot    int     not null,
  first_scheduled bigint,           -- null: no slots
  last_scheduled  bigint,
  is_started      boolean not null, -- whether all its payments are handed to Temporal
  primary key (feed_no, after_line)
) with (fillfactor = 90);

-- Calls of the downstream, by the clock of the caller.
--   result  1 paid, 2 rejected, 3 to be retried, 4 unknown, 5 to be retried: too many calls
create table payment_call (
  called_at   bigint   not null,
  answered_at bigint   not null,
  feed_no     int      not null,
  result      smallint not null,
  detail      text     not null,
  payment_id  text     collate "C" not null,
  primary key (payment_id, called_at)
);

create index payment_call_by_time on payment_call (feed_no, called_at);

-- How each payment ended: append-only, never changed.
--   state   3 paid, 4 failed, 5 cancelled
--   detail  the downstream's reference if it was paid, the reason otherwise
create table payment_audit (
  recorded_at bigint   not null,
  ended_at    bigint   not null,
  feed_no     int      not null,
  attempts    int      not null,
  state       smallint not null,
  detail      text     not null,
  payment_id  text     collate "C" not null primary key
);

-- For operators: payments with readable times and states.
create view payment_readable as
select p.payment_id,
       f.feed_id,
       p.line,
       (array['scheduled', 'running', 'paid', 'failed', 'cancelled'])[p.state] as state,
       p.amount,
       p.currency,
       p.config_name,
       'epoch'::timestamptz + p.requested * interval '1 microsecond' as requested_time,
       p.attempts,
       'epoch'::timestamptz + a.ended_at * interval '1 microsecond' as ended_at,
       a.detail
from payment p
join payment_feed f on f.feed_no = p.feed_no
left join payment_audit a on a.payment_id = p.payment_id;
