-- The floor: tenants, users, keys, audit, idempotency, outbox, and the epochs of watermarks.
-- Every table of a tenant begins its key with tenant_id and is passed to platform.protect.

create schema platform;

-- Grants the application its rights on a table and shows it only the rows of the tenant that the transaction names.
-- After a transaction current_setting is '', hence nullif.
create procedure platform.protect(target regclass, rights text default 'select, insert, update, delete')
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format(
    'create policy of_tenant on %s to fieldloop_app using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::int) '
    || 'with check (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::int)', target);
  execute format('grant %s on %s to fieldloop_app', rights, target);
end $$;

-- Lets the look-up role read named columns of every tenant: what must be known before the tenant is.
create procedure platform.allow_lookup(target regclass, columns text, updatable text default null)
language plpgsql as $$
begin
  execute format('grant select (%s) on %s to fieldloop_lookup', columns, target);
  if updatable is not null then
    execute format('grant update (%s) on %s to fieldloop_lookup', updatable, target);
  end if;
  execute format('create policy for_lookup on %s to fieldloop_lookup using (true) with check (true)', target);
end $$;

grant usage on schema platform to fieldloop_app, fieldloop_lookup;

create table platform.language (
  language_region_id int primary key,
  language_code text not null unique,
  display_name text not null
);
create table platform.vertical (
  vertical_id int primary key,
  internal_name text not null unique
);
grant select on platform.language, platform.vertical to fieldloop_app, fieldloop_lookup;

insert into platform.language (language_region_id, language_code, display_name) values
  (1, 'en-US', 'English (United States)'), (2, 'en-GB', 'English (United Kingdom)'), (3, 'es-ES', 'Spanish (Spain)'),
  (4, 'es-MX', 'Spanish (Mexico)'), (5, 'fr-FR', 'French (France)'), (6, 'fr-CA', 'French (Canada)'), (7, 'de-DE', 'German (Germany)'),
  (8, 'it-IT', 'Italian (Italy)'), (9, 'pt-PT', 'Portuguese (Portugal)'), (10, 'pt-BR', 'Portuguese (Brazil)'), (11, 'nl-NL', 'Dutch (Netherlands)'),
  (12, 'ca-ES', 'Catalan (Spain)'), (13, 'pl-PL', 'Polish (Poland)'), (14, 'sv-SE', 'Swedish (Sweden)'), (15, 'da-DK', 'Danish (Denmark)'),
  (16, 'nb-NO', 'Norwegian Bokmål (Norway)'), (17, 'fi-FI', 'Finnish (Finland)'), (18, 'cs-CZ', 'Czech (Czechia)'), (19, 'ro-RO', 'Romanian (Romania)'),
  (20, 'hu-HU', 'Hungarian (Hungary)'), (21, 'el-GR', 'Greek (Greece)'), (22, 'tr-TR', 'Turkish (Türkiye)'), (23, 'uk-UA', 'Ukrainian (Ukraine)'),
  (24, 'ar-SA', 'Arabic (Saudi Arabia)'), (25, 'he-IL', 'Hebrew (Israel)'), (26, 'hi-IN', 'Hindi (India)'), (27, 'id-ID', 'Indonesian (Indonesia)'),
  (28, 'vi-VN', 'Vietnamese (Vietnam)'), (29, 'ja-JP', 'Japanese (Japan)'), (30, 'ko-KR', 'Korean (Korea)'), (31, 'zh-CN', 'Chinese (Simplified, China)'),
  (32, 'zh-TW', 'Chinese (Traditional, Taiwan)');

insert into platform.vertical (vertical_id, internal_name) values
  (1, 'General'), (2, 'FieldService'), (3, 'Aviation'), (4, 'Construction'), (5, 'Energy'), (6, 'Healthcare'), (7, 'Logistics'),
  (8, 'Manufacturing'), (9, 'PublicSector'), (10, 'RealEstate'), (11, 'Retail'), (12, 'Utilities');

create table platform.tenant (
  tenant_id int generated always as identity primary key,
  name text not null,
  sub_domain text not null,
  host text not null,
  description text not null default '',
  vertical_id int references platform.vertical,
  language_region_id int not null default 1 references platform.language,
  created_date timestamptz not null default now(),
  active_start timestamptz not null default now(),
  active_end timestamptz not null default '9999-12-31T00:00:00Z',
  is_deactivated boolean not null default false,
  logo_key uuid,
  -- The tenant's own key, sealed with the installation's.
  sealed_key bytea not null,
  -- Raised by every change of a definition; whoever compiled for an earlier one compiles again.
  catalog_version bigint not null default 1
);
create unique index tenant_sub_domain on platform.tenant (lower(sub_domain));
create unique index tenant_host on platform.tenant (lower(host));
alter table platform.tenant enable row level security;
create policy own_or_global on platform.tenant to fieldloop_app
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::int or current_setting('app.is_global', true) = 'on')
  with check (tenant_id = nullif(current_setting('app.tenant_id', true), '')::int or current_setting('app.is_global', true) = 'on');
grant select, insert, update on platform.tenant to fieldloop_app;
call platform.allow_lookup('platform.tenant', 'tenant_id, name, sub_domain, host, is_deactivated, active_start, active_end, sealed_key, language_region_id');

-- People, across tenants. The application reaches them only through the functions below; a tenant sees its members in tenant_user.
create table platform.app_user (
  user_id int generated always as identity primary key,
  user_name text not null,
  email text,
  password_hash text,
  created_date timestamptz not null default now()
);
create unique index app_user_name on platform.app_user (lower(user_name));
create unique index app_user_email on platform.app_user (lower(email)) where email is not null;
grant select (user_id, user_name, email, password_hash) on platform.app_user to fieldloop_lookup;

create table platform.tenant_user (
  tenant_id int not null references platform.tenant,
  tenant_user_id int generated always as identity,
  user_id int not null references platform.app_user,
  user_name text not null,
  display_name text not null,
  email text,
  language_region_id int not null default 1 references platform.language,
  time_zone_iana text not null default 'UTC',
  role_flag int not null default 0,
  is_locked boolean not null default false,
  -- Made for an API key that acts for nobody in particular.
  is_service boolean not null default false,
  created_date timestamptz not null default now(),
  primary key (tenant_id, tenant_user_id),
  unique (tenant_user_id),
  unique (tenant_id, user_id)
);
create unique index tenant_user_email on platform.tenant_user (tenant_id, lower(email)) where email is not null;
call platform.protect('platform.tenant_user');
call platform.allow_lookup('platform.tenant_user', 'tenant_id, tenant_user_id, user_id, user_name, display_name, role_flag, is_locked, is_service');

-- The person of this e-mail, or a new one, with the name that they have. An e-mail is one person in every tenant; a user name that somebody
-- else has is refused (unique violation).
create function platform.ensure_user(wanted_name text, wanted_email text) returns table (found_id int, found_name text)
language plpgsql security definer set search_path = pg_catalog, platform as $$
begin
  return query select u.user_id, u.user_name from platform.app_user u where lower(u.email) = lower(wanted_email);
  if found then return; end if;
  -- Of two at once the second waits here for the first, and then finds its row.
  return query insert into platform.app_user as u (user_name, email) values (wanted_name, wanted_email)
    on conflict (lower(email)) where email is not null do nothing returning u.user_id, u.user_name;
  if found then return; end if;
  return query select u.user_id, u.user_name from platform.app_user u where lower(u.email) = lower(wanted_email);
end $$;

-- Renames a user who is a member of the transaction's tenant; the copies that tenants show follow.
create function platform.rename_user(wanted_id int, wanted_name text) returns void
language plpgsql security definer set search_path = pg_catalog, platform as $$
begin
  if not exists (select from platform.tenant_user
    where user_id = wanted_id and tenant_id = nullif(current_setting('app.tenant_id', true), '')::int) then
    raise exception 'not a member of this tenant' using errcode = 'insufficient_privilege';
  end if;
  update platform.app_user set user_name = wanted_name where user_id = wanted_id;
  update platform.tenant_user set user_name = wanted_name where user_id = wanted_id;
end $$;

-- Sets the password of a user who is a member of the transaction's tenant.
create function platform.set_password(wanted_id int, wanted_hash text) returns void
language plpgsql security definer set search_path = pg_catalog, platform as $$
begin
  if not exists (select from platform.tenant_user
    where user_id = wanted_id and tenant_id = nullif(current_setting('app.tenant_id', true), '')::int) then
    raise exception 'not a member of this tenant' using errcode = 'insufficient_privilege';
  end if;
  update platform.app_user set password_hash = wanted_hash where user_id = wanted_id;
end $$;
revoke execute on function platform.ensure_user, platform.rename_user, platform.set_password from public;
grant execute on function platform.ensure_user, platform.rename_user, platform.set_password to fieldloop_app;

create table platform.api_key (
  tenant_id int not null references platform.tenant,
  api_key_id int generated always as identity,
  -- Whom the key acts as; a service user of its own unless one was named.
  tenant_user_id int not null,
  name text not null,
  -- At each call: what the key and, where one was named, the user both hold.
  role_flag int not null,
  is_user_bound boolean not null default false,
  key_hash bytea not null unique,
  previous_hash bytea,
  previous_until timestamptz,
  prefix text not null,
  allowed_addresses text[] not null default '{}',
  created_date timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_date timestamptz,
  primary key (tenant_id, api_key_id),
  unique (api_key_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id)
);
create index api_key_previous on platform.api_key (previous_hash) where previous_hash is not null;
call platform.protect('platform.api_key');
call platform.allow_lookup('platform.api_key',
  'tenant_id, api_key_id, tenant_user_id, role_flag, is_user_bound, key_hash, previous_hash, previous_until, allowed_addresses, expires_at, revoked_at, last_used_date',
  'last_used_date');

create table platform.audit_event (
  tenant_id int not null,
  audit_event_id bigint generated always as identity,
  at timestamptz not null default now(),
  tenant_user_id int,
  credential_id text not null,
  operation text not null,
  -- done, denied or failed
  outcome text not null,
  code text,
  transport text not null,
  request_id text not null,
  ip text,
  facts jsonb not null default '{}',
  primary key (tenant_id, audit_event_id)
);
call platform.protect('platform.audit_event', 'select, insert');

create table platform.idempotency_key (
  tenant_id int not null,
  credential_id text not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  -- Null while the first call of a staged operation still runs.
  answer text,
  -- Of a call that issued a secret: what a replay answers instead.
  secret_of text,
  claimed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (tenant_id, credential_id, operation, key)
);
create index idempotency_key_expiry on platform.idempotency_key (expires_at);
call platform.protect('platform.idempotency_key');
call platform.allow_lookup('platform.idempotency_key', 'expires_at');
grant delete on platform.idempotency_key to fieldloop_lookup;

create table platform.outbox (
  tenant_id int not null,
  outbox_id bigint generated always as identity,
  subject text not null,
  event jsonb not null,
  traceparent text,
  created_at timestamptz not null default now(),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  leased_until timestamptz,
  lease_owner text,
  sent_at timestamptz,
  -- Given up: the next of its subject goes on.
  dead_at timestamptz,
  last_error text,
  primary key (tenant_id, outbox_id),
  unique (outbox_id)
);
-- Of each subject only the oldest unsent event may go.
create index outbox_unsent on platform.outbox (tenant_id, subject, outbox_id) where sent_at is null and dead_at is null;
call platform.protect('platform.outbox', 'select, insert');
call platform.allow_lookup('platform.outbox',
  'tenant_id, outbox_id, subject, event, traceparent, created_at, attempts, next_at, leased_until, lease_owner, sent_at, dead_at, last_error',
  'attempts, next_at, leased_until, lease_owner, sent_at, dead_at, last_error');
grant delete on platform.outbox to fieldloop_lookup;

-- Transaction ids start over in a restored cluster; a new epoch keeps change numbers ahead of every earlier one.
create table platform.watermark_epoch (
  epoch int primary key,
  epoch_uuid uuid not null default gen_random_uuid(),
  system_identifier text not null,
  timeline int not null,
  postmaster_start timestamptz not null,
  opened_at timestamptz not null default now()
);
grant select, insert, update on platform.watermark_epoch to fieldloop_app;
