-- Runs of a job that began and did not end, since it last came further: a job whose work ends its process is failed rather than tried for ever.
alter table platform.job
  add column unended_runs int not null default 0,
  -- Of the run that began last; only it may say that it has ended.
  add column run_id uuid;
