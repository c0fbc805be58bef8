-- What a tenant may have and how it is counted, its languages, and when it goes.

alter table platform.tenant
  add column limits jsonb not null default '{}',
  add column disabled_languages int[] not null default '{}',
  -- Of a tenant that is to go: from when on it does.
  add column delete_after timestamptz;
grant select (limits, delete_after, disabled_languages) on platform.tenant to fieldloop_lookup;

-- Calls by day, added up by each process now and then.
create table platform.tenant_calls (
  tenant_id int not null references platform.tenant,
  day date not null,
  calls bigint not null,
  primary key (tenant_id, day)
);
alter table platform.tenant_calls enable row level security;
create policy own_or_global on platform.tenant_calls to fieldloop_app
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::int or current_setting('app.is_global', true) = 'on');
grant select on platform.tenant_calls to fieldloop_app;
create policy for_lookup on platform.tenant_calls to fieldloop_lookup using (true) with check (true);
grant select, insert, update on platform.tenant_calls to fieldloop_lookup;
