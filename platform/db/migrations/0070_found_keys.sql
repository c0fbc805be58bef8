-- Whose a leaked key is, over all tenants: for global administrators, who send its beginning or the key itself, which is hashed before it comes here.

create function platform.find_keys(beginning text, hash bytea, most int) returns table (
  tenant_id int, tenant_name text, api_key_id int, name text, prefix text, role_flag int, tenant_user_id int,
  created_date timestamptz, expires_at timestamptz, last_used_date timestamptz, revoked_date timestamptz
)
language sql stable security definer set search_path = pg_catalog, platform as $$
  select k.tenant_id, t.name, k.api_key_id, k.name, k.prefix, k.role_flag, k.tenant_user_id, k.created_date, k.expires_at, k.last_used_date, k.revoked_at
  from platform.api_key k join platform.tenant t on t.tenant_id = k.tenant_id
  where current_setting('app.is_global', true) = 'on'
    and (k.key_hash = hash or k.previous_hash = hash or starts_with(k.prefix, beginning) or starts_with(beginning, k.prefix))
  order by k.api_key_id desc limit most
$$;
revoke execute on function platform.find_keys from public;
grant execute on function platform.find_keys to fieldloop_app;
