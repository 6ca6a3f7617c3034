-- A payment that failed can be tried again, and then ends again: it has an audit record for each
-- end, of which the latest counts.
--   retried_at  when it was last said to be tried again, from which its deadline counts; null: never
alter table payment add column retried_at bigint;

alter table payment_audit drop constraint payment_audit_pkey;
create index payment_audit_by_payment on payment_audit (payment_id, recorded_at);

create or replace view payment_readable as
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
left join lateral (
  select l.ended_at, l.detail from payment_audit l
  where l.payment_id = p.payment_id and l.state = p.state
  order by l.recorded_at desc limit 1) a on true;
