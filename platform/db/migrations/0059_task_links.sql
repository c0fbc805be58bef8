-- Signed links to tasks of runs: the step that one is for. An approval has no form.

alter table platform.signed_link
  alter column form_id drop not null,
  add column run_id bigint,
  add column step_no int,
  add check ((run_id is null) = (step_no is null)),
  add check (form_id is not null or run_id is not null);
create index signed_link_task on platform.signed_link (tenant_id, run_id, step_no) where run_id is not null;
