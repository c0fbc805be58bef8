-- Signing in: the steps between the password and the session, second factors, and attempts that are counted.

-- What was shown so far, under a token of which the hash alone is kept. Gone once the next is given.
create table platform.sign_in (
  sign_in_id int generated always as identity primary key,
  user_id int not null references platform.app_user,
  token_hash bytea not null unique,
  next text not null check (next in ('secondFactor', 'selectTenant')),
  person_version int not null,
  -- The factor that was chosen, of which a code is awaited.
  channel text,
  factor_id int,
  wrong_codes int not null default 0,
  -- The factor that was shown.
  factor text,
  created_date timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_user on platform.sign_in (user_id);
create index sign_in_expiry on platform.sign_in (expires_at);

create table platform.person_factor (
  factor_id int generated always as identity primary key,
  user_id int not null references platform.app_user,
  channel text not null check (channel in ('totp')),
  name text not null,
  -- Sealed with the installation's key, bound to the row.
  sealed_secret bytea,
  -- Each step of time counts once.
  last_step bigint,
  -- Null: not confirmed, and no factor yet.
  confirmed_date timestamptz,
  last_used_date timestamptz,
  created_date timestamptz not null
);
create index person_factor_user on platform.person_factor (user_id, factor_id);

create table platform.recovery_code (
  user_id int not null references platform.app_user,
  code_hash text not null,
  primary key (user_id, code_hash)
);

create table platform.attempt (
  key text primary key,
  at timestamptz[] not null,
  is_refused boolean not null default false,
  expires_at timestamptz not null
);
create index attempt_expiry on platform.attempt (expires_at);

grant select, insert, update, delete on platform.sign_in, platform.person_factor, platform.recovery_code, platform.attempt to fieldloop_lookup;

-- Whether a person has a second factor: their tenants' administrators see that, and nothing else of it.
create function platform.has_second_factor(wanted_id int) returns boolean
language sql stable security definer set search_path = pg_catalog, platform as $$
  select exists (select from platform.person_factor where user_id = wanted_id and confirmed_date is not null)
$$;
revoke execute on function platform.has_second_factor from public;
grant execute on function platform.has_second_factor to fieldloop_app;
