-- How many automatic starts lead to the job: what it changes tells it on, so that a chain of causes ends though it leads through jobs.
alter table platform.job add column depth int not null default 0;
