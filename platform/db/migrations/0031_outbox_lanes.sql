-- The relay takes errands by lane and, within a lane, by turns between the tenants; what that costs must not grow with what waits.

-- Null: it may go now. Else not before this time: somebody carries it out until then, it was put off, or it waits behind another of its subject.
alter table platform.outbox alter column next_at drop not null, alter column next_at drop default;
update platform.outbox
set next_at = case when dead_at is null and greatest(next_at, leased_until) > now() then greatest(next_at, leased_until) end
where sent_at is null;
alter table platform.outbox drop column leased_until;

drop index platform.outbox_unsent;
create index outbox_ready on platform.outbox (lane, tenant_id, outbox_id) where next_at is null and sent_at is null and dead_at is null;
create index outbox_later on platform.outbox (next_at) where next_at is not null and sent_at is null and dead_at is null;
-- Of each subject only the oldest may go.
create index outbox_subject on platform.outbox (tenant_id, subject, outbox_id) where subject is not null and sent_at is null and dead_at is null;

-- Each errand leaves two dead rows behind. The default waits for a fifth of the table, in which the errands of a week lie.
alter table platform.outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
