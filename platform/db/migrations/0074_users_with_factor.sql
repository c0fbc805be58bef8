-- The tenant's own people who have a second factor, for lists: has_second_factor of each of ten thousand takes long.
create function platform.persons_with_factor() returns setof int
language sql stable security definer set search_path = pg_catalog, platform as $$
  select distinct f.user_id
  from platform.tenant_user u join platform.person_factor f on f.user_id = u.user_id
  where u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::int and f.confirmed_date is not null
$$;
revoke execute on function platform.persons_with_factor from public;
grant execute on function platform.persons_with_factor to fieldloop_app;
