-- Which steps of a run are under way is asked at each of its steps, and a run may have a quarter of a million of them behind it.
create index workflow_step_run_active on platform.workflow_step_run (tenant_id, run_id, step_no) where state = 'active';
