-- A definition may have several schedules of a kind: of a report each user has their own.
alter table platform.schedule
  add column part text not null default '',
  -- The files that it made and that are kept, the newest last.
  add column file_keys uuid[] not null default '{}',
  drop constraint schedule_tenant_id_kind_definition_id_key,
  add unique (tenant_id, kind, definition_id, part);
alter table platform.view_sync drop column file_keys;
