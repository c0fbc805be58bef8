-- What a tenant asks of those who sign in, and the token that lets whoever lacks a factor enrol one.

create table platform.sign_in_policy (
  tenant_id int primary key references platform.tenant,
  second_factor text not null check (second_factor in ('optional', 'administrators', 'all')),
  -- The channels that count; null: every one.
  factors text[],
  apps text not null check (apps in ('any', 'none'))
);
call platform.protect('platform.sign_in_policy', 'select, insert, update');
call platform.allow_lookup('platform.sign_in_policy', 'tenant_id, second_factor, factors, apps');

alter table platform.sign_in
  drop constraint sign_in_next_check,
  add check (next in ('secondFactor', 'selectTenant', 'enrolSecondFactor')),
  -- Of enrolSecondFactor: the tenant that demands the factor.
  add column tenant_id int references platform.tenant,
  -- When the person showed who they are, where that was in a session; null: in this sign-in.
  add column proved_date timestamptz,
  -- Of one that began in a session: it lasts no longer than that one.
  add column session_until timestamptz,
  add check ((next = 'enrolSecondFactor') = (tenant_id is not null));
-- It names a tenant and is none's.
alter table platform.sign_in enable row level security;
create policy for_lookup on platform.sign_in to fieldloop_lookup using (true) with check (true);
