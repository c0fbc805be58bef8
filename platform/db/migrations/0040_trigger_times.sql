-- Triggers come due at times: by a cron expression or an interval, and at dates of records.
alter table platform.schedule alter column every_minutes type double precision;

-- How far the dates of records were looked at, of each trigger that goes by one.
create table platform.trigger_clock (
  tenant_id int not null references platform.tenant,
  trigger_id int not null,
  definition_id int not null,
  -- What came due until then was fired.
  looked_until timestamptz not null,
  -- Where so much comes due that it takes several looks: until when they look, and behind which record the next one begins.
  window_until timestamptz,
  after_id bigint not null default 0,
  next_look timestamptz not null,
  primary key (tenant_id, trigger_id)
);
create index trigger_clock_look on platform.trigger_clock (next_look);
create index trigger_clock_definition on platform.trigger_clock (tenant_id, definition_id);
call platform.protect('platform.trigger_clock');
call platform.allow_lookup('platform.trigger_clock', 'tenant_id, trigger_id, next_look');
