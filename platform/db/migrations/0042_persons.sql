-- Persons sign in; a tenant owns the memberships. Nobody reaches a person through an address or a name that a tenant wrote down.

-- A log-in name has no @, since with one it would be taken for an e-mail. Who cannot sign in needs none.
alter table platform.app_user
  alter column user_name drop not null,
  -- Raised where all sessions of the person end: those of an earlier version are over.
  add column credential_version int not null default 1;
alter table platform.tenant_user
  -- When the person took it; null: nobody signs in with it yet.
  add column accepted_date timestamptz,
  add column last_sign_in_date timestamptz,
  add column credential_version int not null default 1;
alter table platform.tenant add column credential_version int not null default 1;

-- Of several memberships the first keeps the person; the others become persons of their own, who cannot sign in.
do $$
declare
  membership record;
  fresh int;
begin
  for membership in
    select tenant_id, tenant_user_id from (
      select tenant_id, tenant_user_id, row_number() over (partition by user_id order by tenant_user_id) as n from platform.tenant_user) ranked
    where n > 1 order by tenant_user_id
  loop
    insert into platform.app_user default values returning user_id into fresh;
    update platform.tenant_user set user_id = fresh where tenant_id = membership.tenant_id and tenant_user_id = membership.tenant_user_id;
  end loop;
end $$;

update platform.tenant_user u set accepted_date = u.created_date
from platform.app_user p where p.user_id = u.user_id and p.password_hash is not null;
update platform.app_user p set user_name = null
where position('@' in p.user_name) > 0 or exists (select from platform.tenant_user u where u.user_id = p.user_id and u.is_service);
alter table platform.app_user add check (position('@' in user_name) = 0);

-- An address that was a log-in's is a contact for messages; none counts as proved.
insert into platform.user_contact (tenant_id, tenant_user_id, kind, value)
select tenant_id, tenant_user_id, 'email', lower(email) from platform.tenant_user where email is not null order by tenant_user_id
on conflict do nothing;
drop function platform.ensure_user(text, text, boolean), platform.rename_user(int, text), platform.set_password(int, text),
  platform.set_login_email(int, text), platform.is_member_elsewhere(int);
alter table platform.tenant_user drop column email;
alter table platform.app_user drop column email;

-- A tenant without a host of its own is at its sub-domain of the installation's domain, which is not stored.
alter table platform.tenant alter column host drop not null;
update platform.tenant set host = null where lower(host) = lower(sub_domain) || '.localhost';

-- A membership's name is a label of its tenant.
create unique index tenant_user_name on platform.tenant_user (tenant_id, lower(user_name));

-- Addresses that the person proved; each signs in one person.
create table platform.person_email (
  email text primary key check (email = lower(email)),
  user_id int not null references platform.app_user,
  proved_date timestamptz not null default now()
);
create index person_email_user on platform.person_email (user_id);

-- A person's own session in one tenant. It holds while the versions of person, membership and tenant are those that it began with.
create table platform.session (
  session_id int generated always as identity primary key,
  user_id int not null references platform.app_user,
  tenant_id int not null,
  tenant_user_id int not null,
  token_hash bytea not null unique,
  person_version int not null,
  membership_version int not null,
  tenant_version int not null,
  -- What was shown beside the password.
  factor text,
  -- When the person last showed who they are.
  proved_date timestamptz not null,
  created_date timestamptz not null,
  last_used_date timestamptz not null,
  expires_at timestamptz not null,
  address text,
  user_agent text,
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id)
);
create index session_of_person on platform.session (user_id, session_id);
create index session_expiry on platform.session (expires_at);

-- What belongs to persons is no tenant's: the look-up role alone reaches it, and the application only by the functions below.
grant select, insert, update on platform.app_user to fieldloop_lookup;
grant select, insert, update, delete on platform.person_email, platform.session to fieldloop_lookup;
grant select (language_region_id, time_zone_iana, accepted_date, last_sign_in_date, credential_version), update (last_sign_in_date) on platform.tenant_user to fieldloop_lookup;
grant select (credential_version) on platform.tenant to fieldloop_lookup;

-- A person who cannot sign in, for a membership that nobody has taken yet.
create function platform.add_person() returns int
language sql security definer set search_path = pg_catalog, platform as $$
  insert into platform.app_user default values returning user_id
$$;

-- The log-in of the installation's first administrator, who has nobody to be invited by.
create function platform.set_first_log_in(wanted_id int, wanted_name text, wanted_hash text) returns void
language plpgsql security definer set search_path = pg_catalog, platform as $$
begin
  if (select count(*) from platform.tenant) > 1 or current_setting('app.is_global', true) <> 'on' then
    raise exception 'only at the first boot' using errcode = 'insufficient_privilege';
  end if;
  update platform.app_user set user_name = wanted_name, password_hash = wanted_hash where user_id = wanted_id and password_hash is null;
  update platform.tenant_user set accepted_date = created_date where user_id = wanted_id;
end $$;

revoke execute on function platform.add_person, platform.set_first_log_in from public;
grant execute on function platform.add_person, platform.set_first_log_in to fieldloop_app;
