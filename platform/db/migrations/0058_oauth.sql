-- What people let applications do over MCP: grants, the tokens under them, applications that registered, and authorizations under way.

-- Of one person to one application, in one tenant. It holds while the versions of person and membership are those that it began with.
create table platform.oauth_grant (
  tenant_id int not null,
  grant_id int generated always as identity unique,
  tenant_user_id int not null,
  user_id int not null references platform.app_user,
  client_id text not null,
  -- As the application calls itself, cleaned for people's eyes.
  client_name text not null,
  -- Where the browser is sent with the code; another one asks again.
  redirect_host text not null,
  -- What the person ticked. A call has those of them that the membership has then.
  role_flag int not null,
  person_version int not null,
  membership_version int not null,
  created_date timestamptz not null,
  last_used_date timestamptz,
  primary key (tenant_id, grant_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id) on delete cascade
);
create unique index oauth_grant_of on platform.oauth_grant (tenant_id, tenant_user_id, client_id, redirect_host);
create index oauth_grant_of_person on platform.oauth_grant (user_id, grant_id);
create index oauth_grant_of_client on platform.oauth_grant (client_id);

-- Codes, access and refresh tokens, of which the hash alone is kept. What was used stays until its time is over: used again it tells of a theft.
create table platform.oauth_token (
  tenant_id int not null,
  token_hash bytea primary key,
  grant_id int not null,
  kind text not null check (kind in ('code', 'access', 'refresh')),
  -- The address of the one `/mcp` where it counts.
  resource text not null,
  -- What the authorization server keeps with it.
  payload jsonb not null,
  created_date timestamptz not null,
  expires_at timestamptz not null,
  used_date timestamptz,
  foreign key (tenant_id, grant_id) references platform.oauth_grant (tenant_id, grant_id) on delete cascade
);
create index oauth_token_of_grant on platform.oauth_token (tenant_id, grant_id);
create index oauth_token_expiry on platform.oauth_token (expires_at);

-- Applications that registered. One that nobody let in goes after a day.
create table platform.oauth_client (
  client_id text primary key,
  -- Its metadata, its secret among them.
  sealed bytea not null,
  created_date timestamptz not null default now(),
  used_date timestamptz
);
create index oauth_client_age on platform.oauth_client (created_date) where used_date is null;

-- Authorizations that wait for their person, and signed assertions that count once.
create table platform.oauth_pending (
  id_hash bytea primary key,
  payload jsonb not null,
  expires_at timestamptz not null
);
create index oauth_pending_expiry on platform.oauth_pending (expires_at);

-- Both name a tenant and are none's: no row of them is the application's to see.
alter table platform.oauth_grant enable row level security;
alter table platform.oauth_token enable row level security;
create policy for_lookup on platform.oauth_grant to fieldloop_lookup using (true) with check (true);
create policy for_lookup on platform.oauth_token to fieldloop_lookup using (true) with check (true);
grant select, insert, update, delete on platform.oauth_grant, platform.oauth_token, platform.oauth_client, platform.oauth_pending to fieldloop_lookup;
