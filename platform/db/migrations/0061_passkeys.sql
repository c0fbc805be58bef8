-- Passkeys: second factors, and with them alone both factors at once.

alter table platform.person_factor
  drop constraint person_factor_channel_check,
  add check (channel in ('totp', 'passkey')),
  -- Of a passkey, in base64url.
  add column credential_id text,
  add column public_key bytea,
  -- How often the authenticator says that it signed; 0: it does not count.
  add column counter bigint,
  add column transports text[];
create unique index person_factor_credential on platform.person_factor (credential_id) where credential_id is not null;

-- What an authenticator keeps of the person: it tells nobody who that is.
alter table platform.app_user add column passkey_handle bytea unique;

-- Who signs in by a passkey alone is known once it was shown.
alter table platform.sign_in
  alter column user_id drop not null,
  alter column person_version drop not null,
  add check ((user_id is null) = (person_version is null)),
  add check (user_id is not null or next = 'secondFactor');

-- A challenge that waits for its answer: of a sign-in, a session, or a factor that is being enrolled. Taken with the answer, right or wrong.
create table platform.passkey_challenge (
  bound_to text primary key,
  challenge text not null,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on platform.passkey_challenge (expires_at);
grant select, insert, update, delete on platform.passkey_challenge to fieldloop_lookup;
