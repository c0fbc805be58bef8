-- Codes by e-mail and SMS as second factors, to addresses that the person proved by one.

alter table platform.person_factor
  drop constraint person_factor_channel_check,
  add check (channel in ('totp', 'passkey', 'email', 'sms'));

-- When a link set the password anew: whoever reads the person's mail gets no code there for a day.
alter table platform.app_user add column reset_date timestamptz;

-- A code that was sent and waits to be shown: the newest of a factor. What is kept of it is an HMAC.
create table platform.factor_code (
  factor_id int primary key references platform.person_factor on delete cascade,
  -- What it was sent for: a sign-in, a session, or the factor itself while it is enrolled.
  bound_to text not null,
  code_hash text not null,
  tries int not null default 0,
  expires_at timestamptz not null
);
create index factor_code_expiry on platform.factor_code (expires_at);
grant select, insert, update, delete on platform.factor_code to fieldloop_lookup;
