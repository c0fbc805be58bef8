-- A step may wait for years: 25 days are more milliseconds than an int holds.
alter table platform.workflow_log alter column duration_ms type bigint;
