-- What happens by itself at times: due times, and in whose name. The rows are the truth; whoever finds one due moves it on in the transaction that
-- queues its work.
create table platform.schedule (
  tenant_id int not null references platform.tenant,
  schedule_id int not null generated always as identity,
  -- Which kind of work, and the definition that it belongs to.
  kind text not null,
  definition_id int not null,
  -- In whose name it is done, and at most with which roles.
  owner_id int not null,
  role_flag int not null,
  -- Either every so many minutes, counted from a moment, or a cron expression in a zone.
  every_minutes int,
  counted_from timestamptz,
  cron text,
  time_zone text,
  -- What the kind needs to know, beside the definition.
  input jsonb not null,
  -- Null: it is off, or stopped for a reason.
  next_due timestamptz,
  -- When it is looked at: at next_due, or later, where it was put off.
  next_look timestamptz,
  -- When work was last queued for it, and as which job.
  fired_at timestamptz,
  job_id bigint,
  stopped_reason text,
  primary key (tenant_id, schedule_id),
  unique (schedule_id),
  unique (tenant_id, kind, definition_id),
  foreign key (tenant_id, definition_id) references platform.definition on delete cascade,
  check ((every_minutes is null) = (cron is not null)),
  check ((next_due is null) = (next_look is null))
);
create index schedule_look on platform.schedule (next_look) where next_look is not null;
create index schedule_definition on platform.schedule (tenant_id, definition_id);
call platform.protect('platform.schedule');
call platform.allow_lookup('platform.schedule', 'tenant_id, schedule_id, next_look, fired_at', 'next_look');

-- How often a view is exported stands in its schedule; here stands what was exported.
alter table platform.view_sync
  drop column is_enabled,
  drop column frequency_minutes,
  -- The files of the schedule, the newest last.
  add column file_keys uuid[] not null default '{}';
