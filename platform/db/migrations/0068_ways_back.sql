-- Memberships that end, and factors that are taken from a person who has lost them.

-- What the user did keeps the name; nobody is that user any more.
alter table platform.tenant_user add column ended_date timestamptz;
drop index platform.tenant_user_name;
create unique index tenant_user_name on platform.tenant_user (tenant_id, lower(user_name)) where ended_date is null;

create or replace function platform.count_users() returns table (counted_tenant int, user_count int)
language sql stable security definer set search_path = pg_catalog, platform as $$
  select u.tenant_id, count(*)::int from platform.tenant_user u
  where not u.is_service and u.ended_date is null and current_setting('app.is_global', true) = 'on'
  group by u.tenant_id
$$;

-- A reset of a person's factors that waits for its time, in which the person may object.
create table platform.factor_reset (
  user_id int primary key references platform.app_user,
  -- Of the link by which the person objects.
  token_hash bytea not null unique,
  asked_date timestamptz not null,
  due_at timestamptz not null
);
create index factor_reset_due on platform.factor_reset (due_at);
grant select, insert, update, delete on platform.factor_reset to fieldloop_lookup;
grant execute on function platform.has_second_factor to fieldloop_lookup;
