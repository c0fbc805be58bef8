drop function platform.ensure_user(text, text);

-- The person of this e-mail, or a new one, with the name that they have. An e-mail is one person in every tenant. A user name that somebody else
-- has is refused (unique violation), unless nobody asked for it: a name that was made of an e-mail or a phone then gets a number.
create function platform.ensure_user(wanted_name text, wanted_email text, is_derived boolean) returns table (found_id int, found_name text)
language plpgsql security definer set search_path = pg_catalog, platform as $$
declare
  free_name text := wanted_name;
  n int := 1;
begin
  loop
    return query select u.user_id, u.user_name from platform.app_user u where lower(u.email) = lower(wanted_email);
    if found then return; end if;
    -- Of two at once the second waits here for the first, and then finds its row in the next round.
    return query insert into platform.app_user as u (user_name, email) values (free_name, wanted_email)
      on conflict do nothing returning u.user_id, u.user_name;
    if found then return; end if;
    if not exists (select from platform.app_user u where lower(u.user_name) = lower(free_name)) then continue; end if;
    if not is_derived then
      raise exception 'the user name is taken' using errcode = 'unique_violation', constraint = 'app_user_name';
    end if;
    n := n + 1;
    free_name := wanted_name || '-' || n;
  end loop;
end $$;
revoke execute on function platform.ensure_user from public;
grant execute on function platform.ensure_user to fieldloop_app;
