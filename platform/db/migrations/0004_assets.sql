-- Files and what was recognised in them. The bytes lie behind the storage driver; a row is made before its bytes, so that whatever a killed
-- process leaves behind has a row by which it is found and swept.

create table platform.asset (
  tenant_id int not null references platform.tenant,
  asset_key uuid not null,
  -- 1: the tenant's local store.
  source_id int not null default 1,
  asset_folder_id int,
  storage_path text not null,
  original_file_name text not null,
  title text not null,
  -- Until the bytes are there, what was said of them; then what they say of themselves.
  mime_type text not null default '',
  file_extension text not null default '',
  size_bytes bigint,
  sha256 text,
  sub_path text not null default '',
  is_sensitive boolean not null default false,
  property_id int,
  workflow_id int,
  step_id int,
  created_by int,
  created_date timestamptz not null,
  modified_date timestamptz not null,
  -- Null while the bytes are awaited: no operation shows the row yet.
  stored_at timestamptz,
  -- Of an upload URL: until when, and how many bytes were announced.
  upload_until timestamptz,
  announced_bytes bigint,
  deleted_at timestamptz,
  -- When the bytes of a deleted asset were removed.
  purged_at timestamptz,
  primary key (tenant_id, asset_key)
);
create index asset_newest on platform.asset (tenant_id, created_date, asset_key) where stored_at is not null and deleted_at is null;
create index asset_unswept on platform.asset (tenant_id) where stored_at is null or (deleted_at is not null and purged_at is null);
call platform.protect('platform.asset');

create table platform.attachment_analysis (
  tenant_id int not null references platform.tenant,
  analysis_id bigint generated always as identity,
  asset_key uuid not null,
  entity_id int not null,
  ei_record_id bigint not null,
  entity_property_id int not null,
  job_id bigint not null,
  -- Raised each time it is queued; what an earlier run still brings is dropped.
  run_no int not null default 1,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'skipped')),
  reason text,
  -- As the property had them when it was queued.
  settings jsonb not null,
  -- The version of the record that asked, and by entityPropertyId the versions that results were written in since: targets that were edited
  -- after these are left alone.
  record_version int not null,
  target_versions jsonb not null default '{}',
  -- What a run has found but not yet finished with: done, failed or skipped.
  found text check (found in ('done', 'failed', 'skipped')),
  ocr jsonb,
  labels jsonb,
  model text,
  duration_ms int,
  -- What came of writing the results into the record: {applied: [property], skipped: [{property, reason}]}.
  written jsonb,
  queued_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, analysis_id),
  unique (analysis_id),
  unique (tenant_id, asset_key, ei_record_id, entity_property_id),
  foreign key (tenant_id, asset_key) references platform.asset
);
create index attachment_analysis_job on platform.attachment_analysis (tenant_id, job_id);
call platform.protect('platform.attachment_analysis');
