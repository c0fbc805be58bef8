-- What happens starts runs.

alter table platform.event
  -- The transaction that told of it: what one wrote the same way is a batch.
  add column batch bigint,
  -- It is told as everything else, and starts no run.
  add column starts_nothing boolean not null default false;

alter table platform.event_watcher
  -- What of a definition watches, where several parts of it may.
  add column part text not null default '';

-- Live triggers, and addresses of webhooks, of whatever kind of definition.
alter table platform.workflow_trigger
  drop constraint workflow_trigger_tenant_id_workflow_id_fkey,
  -- Whether it fires now.
  add column is_live boolean not null default true,
  -- Since when; what happened before is none of its business.
  add column live_since timestamptz,
  -- As whom it looks, with which roles: those of the version, and sight of records where its publisher had that.
  add column acts_as int,
  add column role_flag int not null default 0;
alter table platform.workflow_webhook drop constraint workflow_webhook_tenant_id_workflow_id_fkey;

alter table platform.workflow_run
  -- What started it; null: somebody did.
  add column trigger_type text,
  -- Why it does not begin yet: `rate`, too many began within a minute; `turn`, another about its record is under way.
  add column held_for text check (held_for in ('rate', 'turn')),
  -- When it was allowed to begin.
  add column released_at timestamptz;
create index workflow_run_held on platform.workflow_run (tenant_id, workflow_id, run_id) where held_for is not null;
create index workflow_run_released on platform.workflow_run (tenant_id, workflow_id, released_at);
create index workflow_run_unfinished on platform.workflow_run (tenant_id, workflow_id, (coalesce(ei_record_id, 0)), run_id) where finished_date is null;
-- Starts in masses number their rows themselves.
grant usage on sequence platform.workflow_run_run_id_seq to fieldloop_app;
call platform.allow_lookup('platform.workflow_run', 'tenant_id, workflow_id, run_id, held_for');

-- What a trigger matched and did not start yet. Gone once all of it has started.
create table platform.trigger_firing (
  tenant_id int not null references platform.tenant,
  firing_id bigint not null generated always as identity,
  -- A definition, and what of it.
  definition_id int not null,
  part text not null,
  -- The event, as the log has it.
  event jsonb not null,
  record_ids bigint[] not null default '{}',
  versions int[] not null default '{}',
  -- How many of the records were looked at, and of a batch those that count.
  done int not null default 0,
  kept_ids bigint[] not null default '{}',
  tries int not null default 0,
  next_at timestamptz not null,
  primary key (tenant_id, firing_id)
);
create index trigger_firing_next on platform.trigger_firing (tenant_id, definition_id, firing_id);
call platform.protect('platform.trigger_firing');
call platform.allow_lookup('platform.trigger_firing', 'tenant_id, definition_id, firing_id, next_at');

-- How many runs one call or one import has started of a definition.
create table platform.trigger_cause (
  tenant_id int not null references platform.tenant,
  definition_id int not null,
  cause text not null,
  records bigint not null,
  at timestamptz not null,
  primary key (tenant_id, definition_id, cause)
);
call platform.protect('platform.trigger_cause');
call platform.allow_lookup('platform.trigger_cause', 'tenant_id, definition_id, cause, at');
grant delete on platform.trigger_cause to fieldloop_lookup;
