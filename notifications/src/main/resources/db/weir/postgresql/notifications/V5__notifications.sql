-- Rate-limited messages. Times are whole microseconds since the epoch.

-- The limit of a user and its usage, the Usage of core. A transaction that counts messages of the
-- user locks the row. No column but the key is indexed, so that counting stays within a page (HOT),
-- and the fill factor leaves room for that.
--   version   number of the configuration
--   revision  advances with each change of limit or usage
create table notification_user (
  user_id       bigint not null primary key,
  rate_limit    bigint not null,
  window_micros bigint not null,
  version       bigint not null,
  revision      bigint not null,
  at_micros     bigint not null,
  used          bigint not null,
  used_before   bigint not null,
  scale         bigint not null,
  algorithm     text   not null,
  cost_by       text   not null,
  open_hours    text              -- null: always open
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- What became of each message, until it is removed by its age.
--   state     0 deferred, 1 accepted, 2 sent, 3 delivered, 4 failed, 5 cancelled. In no index, so
--             that most changes stay within a page
--   is_reported  whether the provider has reported the state, in a receipt
--   cost, taken_at, version  what was taken, when, and under which configuration; null until the
--             message is counted
create table notification_message (
  created_at      bigint   not null,
  changed_at      bigint   not null,
  user_id         bigint   not null,
  cost            bigint,
  taken_at        bigint,
  version         bigint,
  parts           int      not null,
  state           smallint not null,
  is_reported     boolean  not null default false,
  id              uuid     not null primary key,
  idempotency_key text     collate "C",
  provider        text     collate "C",
  provider_id     text     collate "C",
  reason          text,
  text            text     not null
) with (fillfactor = 85);

create unique index notification_message_by_key on notification_message (user_id, idempotency_key)
  where idempotency_key is not null;

-- For delivery receipts.
create index notification_message_by_provider
  on notification_message (provider_id, provider, created_at) where provider_id is not null;

-- For retention.
create index notification_message_by_age on notification_message (created_at);

-- Messages that are counted and may not have been published yet. Rows come and go with every
-- message, therefore they are small.
--   claimed_until  until when one node republishes the message
--   is_shared      whether a second caller may have published it; then it cannot be withdrawn
create table notification_outbox (
  created_at    bigint  not null,
  claimed_until bigint  not null,
  is_shared     boolean not null,
  message_id    uuid    not null primary key
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index notification_outbox_by_age on notification_outbox (created_at, message_id);

-- Messages that wait for the hours of their users.
create table notification_deferred (
  due_at     bigint not null,
  message_id uuid   not null primary key
);

create index notification_deferred_by_time on notification_deferred (due_at, message_id);

-- For operators: messages with readable states and times.
create view notification_message_readable as
select m.id,
       m.user_id,
       (array['deferred', 'accepted', 'sent', 'delivered', 'failed', 'cancelled'])[m.state + 1]
         as state,
       'epoch'::timestamptz + m.created_at * interval '1 microsecond' as created_at,
       'epoch'::timestamptz + m.changed_at * interval '1 microsecond' as changed_at,
       'epoch'::timestamptz + d.due_at * interval '1 microsecond' as due_at,
       o.message_id is not null as is_in_outbox,
       m.parts,
       m.cost,
       m.provider,
       m.provider_id,
       m.reason
from notification_message m
left join notification_outbox o on o.message_id = m.id
left join notification_deferred d on d.message_id = m.id;
