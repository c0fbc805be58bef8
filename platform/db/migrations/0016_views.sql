-- Of views: when one was last exported, and how often it is by itself.
create table platform.view_sync (
  tenant_id int not null,
  view_id int not null,
  is_enabled boolean not null default false,
  frequency_minutes int,
  last_export_at timestamptz,
  primary key (tenant_id, view_id),
  foreign key (tenant_id, view_id) references platform.definition on delete cascade
);
call platform.protect('platform.view_sync');
