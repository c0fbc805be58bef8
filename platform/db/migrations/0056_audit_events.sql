-- The audit log is read by time, and kept as long as the installation says.

alter table platform.audit_event drop constraint audit_event_pkey, add primary key (tenant_id, at, audit_event_id);
-- Who acted from another tenant, by name: what this tenant knows of its own users does not tell.
alter table platform.audit_event add column actor_name text;

-- The only way in which an event goes. None goes within 30 days, whatever the installation says.
create function platform.drop_audit_events(kept_days int, most int) returns int
language plpgsql security definer set search_path = pg_catalog, platform as $$
declare
  dropped int;
begin
  if kept_days < 30 then
    raise exception 'audit events are kept for 30 days' using errcode = 'insufficient_privilege';
  end if;
  delete from platform.audit_event e using (
    select old.* from platform.tenant t, lateral (
      select a.tenant_id, a.at, a.audit_event_id from platform.audit_event a
      where a.tenant_id = t.tenant_id and a.at < now() - make_interval(days => kept_days)
      order by a.at, a.audit_event_id limit most) old
    limit most) old
  where e.tenant_id = old.tenant_id and e.at = old.at and e.audit_event_id = old.audit_event_id;
  get diagnostics dropped = row_count;
  return dropped;
end $$;
revoke execute on function platform.drop_audit_events from public;
grant execute on function platform.drop_audit_events to fieldloop_lookup;
