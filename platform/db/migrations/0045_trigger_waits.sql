-- Steps that wait for what a trigger would fire on.
alter table platform.workflow_step_run
  -- What it waits for: the definition, its version and the step.
  add column awaits_trigger text,
  -- About this record; null: about any.
  add column awaits_record bigint;
create index workflow_step_run_trigger on platform.workflow_step_run (tenant_id, awaits_trigger, awaits_record, begun_at)
  where is_waiting and awaits_trigger is not null;
