-- Links that are mailed to persons, and the mails themselves, which wait here, sealed, until they are handed over.

create table platform.person_link (
  link_id int generated always as identity primary key,
  kind text not null check (kind in ('invitation', 'reset')),
  user_id int not null references platform.app_user,
  -- Of an invitation: the membership.
  tenant_id int,
  tenant_user_id int,
  token_hash bytea not null unique,
  -- Where it was mailed to, which whoever has it proves; null where it was handed over in another way.
  email text,
  created_date timestamptz not null,
  expires_at timestamptz not null,
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id)
);
-- A newer one voids the older of its kind; an invitation is of one membership, whose person it has to itself.
create unique index person_link_kind on platform.person_link (user_id, kind);
create index person_link_expiry on platform.person_link (expires_at);

create table platform.person_mail (
  mail_id uuid primary key,
  -- Sealed with the installation's key: it holds what a link is opened with.
  sealed bytea not null,
  attempts int not null default 0,
  created_date timestamptz not null default now(),
  next_at timestamptz not null default now()
);
create index person_mail_due on platform.person_mail (next_at);

-- Both name a tenant and are none's: no row of them is the application's to see.
alter table platform.session enable row level security;
alter table platform.person_link enable row level security;
create policy for_lookup on platform.session to fieldloop_lookup using (true) with check (true);
create policy for_lookup on platform.person_link to fieldloop_lookup using (true) with check (true);

grant select, insert, update, delete on platform.person_link, platform.person_mail to fieldloop_lookup;
grant update (user_id, accepted_date, credential_version) on platform.tenant_user to fieldloop_lookup;
call platform.allow_lookup('platform.user_contact', 'tenant_id, tenant_user_id, kind, value, is_verified', 'is_verified');

-- A mail that tells of a reset names the keys that act as the person; else the look-up role sees no key's name.
create function platform.list_keys_of_person(wanted_id int, most int) returns table (key_name text, key_prefix text, tenant_name text)
language sql stable security definer set search_path = pg_catalog, platform as $$
  select k.name, k.prefix, t.name
  from platform.tenant_user u
    join platform.api_key k on k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id
    join platform.tenant t on t.tenant_id = u.tenant_id
  where u.user_id = wanted_id and k.revoked_at is null and coalesce(k.expires_at > now(), true)
  order by k.api_key_id limit most
$$;
revoke execute on function platform.list_keys_of_person from public;
grant execute on function platform.list_keys_of_person to fieldloop_lookup;
