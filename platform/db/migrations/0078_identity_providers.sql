-- A tenant's own provider, by which its people sign in to it; and whose account there is which user.

create table platform.identity_provider (
  tenant_id int primary key references platform.tenant,
  issuer text not null,
  client_id text not null,
  -- Sealed with the tenant's key; null: a client without one.
  sealed_secret bytea,
  scopes text[] not null,
  is_required boolean not null,
  trusts_second_factor boolean not null,
  -- The roles of whoever set it, without GlobalAdmin: whoever it signs in has no other.
  role_flag int not null,
  set_by int not null,
  set_date timestamptz not null
);
call platform.protect('platform.identity_provider', 'select, insert, update, delete');
call platform.allow_lookup('platform.identity_provider',
  'tenant_id, issuer, client_id, sealed_secret, scopes, is_required, trusts_second_factor, role_flag, set_by, set_date');

-- It holds while the membership is that person's.
create table platform.provider_account (
  tenant_id int not null,
  issuer text not null,
  sub text not null,
  tenant_user_id int not null,
  user_id int not null references platform.app_user,
  created_date timestamptz not null,
  primary key (tenant_id, issuer, sub),
  unique (tenant_id, tenant_user_id, issuer),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id) on delete cascade
);
create index provider_account_of_person on platform.provider_account (user_id);
-- It names a tenant and is none's to see.
alter table platform.provider_account enable row level security;
create policy for_lookup on platform.provider_account to fieldloop_lookup using (true) with check (true);
grant select, insert, update, delete on platform.provider_account to fieldloop_lookup;

-- The provider that a session began by; null: the person signed in as themselves. A session of a provider that is gone is over.
alter table platform.session add column provider_issuer text;
-- The same of a sign-in under way, which then leads to that tenant alone.
alter table platform.sign_in
  add column provider_tenant_id int references platform.tenant,
  add column provider_issuer text,
  add check ((provider_tenant_id is null) = (provider_issuer is null));
