-- What may have ended a credential, for calls that wait with one in any process. Each process that has such calls reads what was committed since it last read.

create table platform.credential_change (
  -- The number of the transaction: it alone tells a reader what it has not seen. A sequence or a time is taken before the commit that shows it.
  xact xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  -- Whose credentials: of everybody in a tenant, of a membership, or of a person.
  subject text not null check (subject in ('tenant', 'membership', 'person')),
  subject_id int not null
);
create index credential_change_xact on platform.credential_change (xact);
create index credential_change_at on platform.credential_change (at);
-- It names people and is no tenant's to see.
alter table platform.credential_change enable row level security;
create policy for_lookup on platform.credential_change to fieldloop_lookup using (true) with check (true);
grant select, delete on platform.credential_change to fieldloop_lookup;

create function platform.note_credential_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, platform as $$
declare
  changed record;
  changed_id int;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  if tg_argv[0] = 'tenant' then
    changed_id := changed.tenant_id;
  elsif tg_argv[0] = 'membership' then
    changed_id := changed.tenant_user_id;
  else
    changed_id := changed.user_id;
  end if;
  insert into platform.credential_change (subject, subject_id) values (tg_argv[0], changed_id);
  return null;
end $$;
revoke execute on function platform.note_credential_change from public;

-- When something was last used is no change, and neither is the end that its time brings.
create trigger note_credential_change after update on platform.tenant for each row
  when ((old.is_deactivated, old.active_start, old.active_end, old.credential_version)
    is distinct from (new.is_deactivated, new.active_start, new.active_end, new.credential_version))
  execute function platform.note_credential_change('tenant');
create trigger note_credential_change after update on platform.tenant_user for each row
  when ((old.user_id, old.role_flag, old.is_locked, old.accepted_date, old.credential_version)
    is distinct from (new.user_id, new.role_flag, new.is_locked, new.accepted_date, new.credential_version))
  execute function platform.note_credential_change('membership');
create trigger note_credential_change after update on platform.app_user for each row
  when (old.credential_version <> new.credential_version)
  execute function platform.note_credential_change('person');
create trigger note_credential_change after update on platform.api_key for each row
  when ((old.role_flag, old.is_user_bound, old.revoked_at, old.expires_at, old.allowed_addresses, old.valid_hours)
    is distinct from (new.role_flag, new.is_user_bound, new.revoked_at, new.expires_at, new.allowed_addresses, new.valid_hours))
  execute function platform.note_credential_change('membership');
create trigger note_credential_change after update on platform.session for each row
  when (new.expires_at < old.expires_at or new.idle_until < old.idle_until
    or (old.person_version, old.membership_version, old.tenant_version, old.provider_issuer)
      is distinct from (new.person_version, new.membership_version, new.tenant_version, new.provider_issuer))
  execute function platform.note_credential_change('membership');
create trigger note_credential_gone after delete on platform.session for each row
  when (old.expires_at > now() and coalesce(old.idle_until > now(), true))
  execute function platform.note_credential_change('membership');
create trigger note_credential_change after update on platform.oauth_grant for each row
  when ((old.role_flag, old.person_version, old.membership_version) is distinct from (new.role_flag, new.person_version, new.membership_version))
  execute function platform.note_credential_change('membership');
create trigger note_credential_gone after delete on platform.oauth_grant for each row
  execute function platform.note_credential_change('membership');
create trigger note_credential_change after update on platform.identity_provider for each row
  when ((old.issuer, old.role_flag) is distinct from (new.issuer, new.role_flag))
  execute function platform.note_credential_change('tenant');
create trigger note_credential_gone after delete on platform.identity_provider for each row
  execute function platform.note_credential_change('tenant');
create trigger note_credential_change after insert or update on platform.sign_in_policy for each row
  when (new.apps = 'none')
  execute function platform.note_credential_change('tenant');
