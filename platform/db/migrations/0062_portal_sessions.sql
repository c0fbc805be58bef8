-- Sessions of the portal: those that a browser's cookie holds, one in each tenant, and those of programs that signed in there.
alter table platform.session
  add column cookie_hash bytea,
  -- Over at this time unless it is used before. Null: a session of the API, which has its 8 hours.
  add column idle_until timestamptz,
  add check (cookie_hash is null or idle_until is not null);
create unique index session_of_cookie on platform.session (cookie_hash, tenant_id) where cookie_hash is not null;
