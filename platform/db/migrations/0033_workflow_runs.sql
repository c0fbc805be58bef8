-- Runs of definitions. Here stands what a run is and holds; Temporal knows only when it goes on.

create table platform.workflow_run (
  tenant_id int not null references platform.tenant,
  run_id bigint generated always as identity,
  -- A definition that is deleted leaves its runs.
  workflow_id int not null,
  version int not null,
  internal_name text not null,
  state text not null check (state in ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled')),
  is_paused boolean not null default false,
  is_cancelling boolean not null default false,
  -- The record that it is about.
  entity_id int,
  ei_record_id bigint,
  -- In whose name it works, with which roles.
  acts_as int not null,
  role_flag int not null,
  -- How many runs led here, and what caused it: a user, or an origin.
  depth int not null,
  started_by int,
  caused_by jsonb,
  -- An event starts each definition once.
  start_key text,
  input jsonb not null,
  trigger jsonb,
  variables jsonb not null,
  output jsonb,
  error jsonb,
  -- Each retry is the next one.
  epoch int not null default 1,
  -- Where it stood when it ended, for a retry.
  flow jsonb,
  log_seq int not null default 0,
  -- Of everything that it holds.
  value_bytes int not null default 0,
  expires_at timestamptz not null,
  created_date timestamptz not null,
  started_date timestamptz,
  finished_date timestamptz,
  primary key (tenant_id, run_id),
  unique (run_id),
  unique (tenant_id, workflow_id, start_key)
);
create index workflow_run_workflow on platform.workflow_run (tenant_id, workflow_id, run_id);
create index workflow_run_record on platform.workflow_run (tenant_id, ei_record_id, run_id) where ei_record_id is not null;
create index workflow_run_state on platform.workflow_run (tenant_id, state, run_id);
call platform.protect('platform.workflow_run');

-- A step as it was carried out once: in a loop and after a retry there are several.
create table platform.workflow_step_run (
  tenant_id int not null,
  run_id bigint not null,
  step_no int not null,
  step text not null,
  step_type text not null,
  -- Of the loops around it, the outermost first.
  iteration int[] not null,
  state text not null check (state in ('active', 'done', 'skipped', 'failed', 'compensated', 'withdrawn')),
  -- Somebody, or a time, is awaited.
  is_waiting boolean not null default false,
  -- Tries that failed.
  failures int not null default 0,
  -- What its effects are known by: its own number, or that of the try before it that may have had them.
  effect_no int not null,
  -- The configuration with its tokens resolved, fixed before the first try.
  input jsonb,
  -- What a loop goes over.
  items jsonb,
  result jsonb,
  error jsonb,
  -- Nobody knows whether what failed has happened.
  is_unsure boolean not null default false,
  -- What the run was told of it.
  outcome jsonb,
  assignee_user int,
  assignee_role int,
  -- Of a task that several people share.
  assignee_users int[],
  due_at timestamptz,
  overdue_at timestamptz,
  wake_at timestamptz,
  -- The name of the signal that it waits for.
  awaits text,
  -- What it was answered: an action, a reply, a signal.
  answer jsonb,
  begun_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, run_id, step_no),
  foreign key (tenant_id, run_id) references platform.workflow_run
);
create index workflow_step_run_name on platform.workflow_step_run (tenant_id, run_id, step, step_no);
create index workflow_step_run_user on platform.workflow_step_run (tenant_id, assignee_user, run_id) where is_waiting;
create index workflow_step_run_waiting on platform.workflow_step_run (tenant_id, run_id, step_no) where is_waiting;
call platform.protect('platform.workflow_step_run');

create table platform.workflow_log (
  tenant_id int not null,
  run_id bigint not null,
  seq int not null,
  at timestamptz not null,
  step_no int,
  step text,
  step_type text,
  iteration int[],
  event text not null,
  by_user int,
  attempt int,
  input jsonb,
  output jsonb,
  error jsonb,
  comment text,
  duration_ms int,
  primary key (tenant_id, run_id, seq),
  foreign key (tenant_id, run_id) references platform.workflow_run
);
call platform.protect('platform.workflow_log');

-- Signals that came before a step awaited them.
create table platform.workflow_signal (
  tenant_id int not null,
  run_id bigint not null,
  signal_id bigint generated always as identity,
  event text not null,
  payload jsonb,
  by_user int,
  at timestamptz not null,
  primary key (tenant_id, run_id, signal_id),
  foreign key (tenant_id, run_id) references platform.workflow_run
);
call platform.protect('platform.workflow_signal');
