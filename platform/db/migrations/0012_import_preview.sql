-- What the rows of a dry import would have made so far: later rows of the file change it, or name it as their parent. It is no record, and goes with its job.

create table platform.import_preview (
  tenant_id int not null,
  job_id bigint not null,
  -- SHA-256 of the keys.
  key_hash bytea not null,
  -- Of the parent's keys, where a record of the same entity is the parent.
  parent_hash bytea,
  -- All rows of the key as one: what is sent to the save.
  save text not null,
  primary key (tenant_id, job_id, key_hash),
  foreign key (tenant_id, job_id) references platform.job on delete cascade
);
call platform.protect('platform.import_preview');
