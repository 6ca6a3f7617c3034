-- State 6, unknown: handed to the provider, which has not answered. It is recorded before each
-- hand-over, so that it is also what a crash leaves behind.
create or replace view notification_message_readable as
select m.id,
       m.user_id,
       (array['deferred', 'accepted', 'sent', 'delivered', 'failed', 'cancelled', 'unknown'])
         [m.state + 1] as state,
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
