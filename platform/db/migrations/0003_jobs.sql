-- Jobs with their logs, the contacts of users, and what the administration of users and tenants needs beside them.

create table platform.job (
  tenant_id int not null references platform.tenant,
  job_id bigint generated always as identity,
  -- Which runner carries it out.
  kind text not null,
  -- The operation that started it, and the role masks that let others see and control it: one of them, every bit; 0 is anybody.
  operation text not null,
  visible_to int[] not null,
  -- Null where the platform itself started it.
  started_by int,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'partly', 'failed', 'cancelled')),
  done bigint not null default 0,
  total bigint,
  note text,
  input jsonb not null,
  -- How far the job has come, in the runner's own terms; committed with the rows of each chunk.
  position jsonb,
  result jsonb,
  error jsonb,
  attempt int not null default 1,
  -- Raised by each chunk: of two runs of one chunk only the first commits.
  chunk_no int not null default 0,
  log_lines int not null default 0,
  created_date timestamptz not null default date_trunc('milliseconds', now()),
  started_date timestamptz,
  finished_date timestamptz,
  primary key (tenant_id, job_id),
  unique (job_id)
);
create index job_starter on platform.job (tenant_id, started_by, job_id);
call platform.protect('platform.job', 'select, insert, update');

create table platform.job_log (
  tenant_id int not null,
  job_id bigint not null,
  line_no int not null,
  at timestamptz not null,
  attempt int not null,
  level text not null check (level in ('info', 'warning', 'error')),
  message text not null,
  primary key (tenant_id, job_id, line_no),
  foreign key (tenant_id, job_id) references platform.job on delete cascade
);
call platform.protect('platform.job_log', 'select, insert');

create table platform.user_contact (
  tenant_id int not null,
  contact_id int generated always as identity,
  tenant_user_id int not null,
  kind text not null check (kind in ('email', 'phone')),
  -- E-mail in lower case, phone in E.164: what is equal is the same.
  value text not null,
  is_verified boolean not null default false,
  primary key (tenant_id, contact_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user
);
create unique index user_contact_value on platform.user_contact (tenant_id, kind, value);
create index user_contact_user on platform.user_contact (tenant_id, tenant_user_id, contact_id);
call platform.protect('platform.user_contact');

-- Theme variables of the tenant's pages, `--theme-*` to a value.
alter table platform.tenant add column theme jsonb not null default '{}';

-- Whether a person belongs to other tenants beside the transaction's: one tenant's administrator may not change how they sign in everywhere.
create function platform.is_member_elsewhere(wanted_id int) returns boolean
language sql stable security definer set search_path = pg_catalog, platform as $$
  select exists (select from platform.tenant_user
    where user_id = wanted_id and tenant_id <> nullif(current_setting('app.tenant_id', true), '')::int)
$$;

-- Makes an e-mail (or null) the one that a member signs in with. False, and nothing changed, where the person belongs elsewhere too or the
-- e-mail is another person's.
create function platform.set_login_email(wanted_id int, wanted_email text) returns boolean
language plpgsql security definer set search_path = pg_catalog, platform as $$
declare this_tenant int := nullif(current_setting('app.tenant_id', true), '')::int;
begin
  if not exists (select from platform.tenant_user where user_id = wanted_id and tenant_id = this_tenant) then
    raise exception 'not a member of this tenant' using errcode = 'insufficient_privilege';
  end if;
  if platform.is_member_elsewhere(wanted_id) then return false; end if;
  begin
    update platform.app_user set email = wanted_email where user_id = wanted_id;
  exception when unique_violation then
    return false;
  end;
  update platform.tenant_user set email = wanted_email where user_id = wanted_id and tenant_id = this_tenant;
  return true;
end $$;

-- People in each tenant; for global administrators alone.
create function platform.count_users() returns table (counted_tenant int, user_count int)
language sql stable security definer set search_path = pg_catalog, platform as $$
  select u.tenant_id, count(*)::int from platform.tenant_user u
  where not u.is_service and current_setting('app.is_global', true) = 'on'
  group by u.tenant_id
$$;

revoke execute on function platform.is_member_elsewhere, platform.set_login_email, platform.count_users from public;
grant execute on function platform.is_member_elsewhere, platform.set_login_email, platform.count_users to fieldloop_app;
