-- A row of the outbox says itself what to start or to signal, and which lane carries it.
alter table platform.outbox rename column event to errand;
alter table platform.outbox add column lane text not null default 'bulk' check (lane in ('people', 'triggers', 'bulk'));
alter table platform.outbox alter column lane drop default;
-- Null: nothing of the same subject goes before or after it.
alter table platform.outbox alter column subject drop not null;
grant select (lane) on platform.outbox to fieldloop_lookup;

-- What still waits, or was given up and may be tried again, as the relay now reads it.
update platform.outbox o
set lane = turned.lane, errand = turned.errand
from (
  select old.outbox_id,
    case old.errand ->> 'type' when 'jobQueued' then 'bulk' when 'attachmentSaved' then 'triggers' else 'people' end as lane,
    case old.errand ->> 'type'
      when 'attachmentSaved' then jsonb_build_object('kind', 'start', 'workflow', 'attachmentRecognition',
        'args', jsonb_build_array(jsonb_build_object('tenantId', tenant_id) || (old.errand - 'type')))
      when 'jobQueued' then jsonb_build_object('kind', 'start', 'workflow', 'job',
        'workflowId', format('job:%s:%s:%s', tenant_id, old.errand ->> 'jobId', old.errand ->> 'attempt'),
        'args', jsonb_build_array(jsonb_build_object('tenantId', tenant_id) || (old.errand - 'type')))
      when 'messageQueued' then conversation.start || jsonb_build_object('kind', 'signalWithStart', 'signal', 'deliver',
        'signalArgs', jsonb_build_array(jsonb_build_object('messageId', old.errand -> 'messageId', 'seq', old.errand -> 'seq')))
      when 'messageReceived' then
        case when old.errand ? 'hasMedia' then conversation.start || jsonb_build_object('kind', 'signalWithStart')
          else jsonb_build_object('kind', 'signal', 'workflowId', conversation.start -> 'workflowId') end
        || jsonb_build_object('signal', 'received', 'signalArgs', jsonb_build_array(old.errand - 'type' - 'conversationId'))
      when 'conversationEnded' then jsonb_build_object('kind', 'signal', 'workflowId', conversation.start -> 'workflowId',
        'signal', 'ended', 'signalArgs', '[]'::jsonb)
    end as errand
  from platform.outbox old
  cross join lateral (
    select jsonb_build_object('workflow', 'conversation', 'workflowId', format('conversation:%s:%s', old.tenant_id, old.errand ->> 'conversationId'),
      'args', jsonb_build_array(jsonb_build_object('tenantId', old.tenant_id, 'conversationId', old.errand -> 'conversationId'))) as start
  ) conversation
  where old.sent_at is null
) turned
where o.outbox_id = turned.outbox_id;
