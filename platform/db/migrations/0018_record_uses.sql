-- What slow queries of records asked, and the indexes that were made for them. Nobody sets them; they follow use.
create table platform.record_use (
  tenant_id int not null,
  entity_id int not null,
  use jsonb not null,
  times bigint not null,
  cost_ms float8 not null,
  last_at timestamptz not null,
  primary key (tenant_id, entity_id, use),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
call platform.protect('platform.record_use');
create table platform.record_index (
  tenant_id int not null,
  entity_id int not null,
  name text not null,
  use jsonb not null,
  built_at timestamptz not null,
  build_ms float8 not null,
  primary key (tenant_id, entity_id, name),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
call platform.protect('platform.record_index', 'select');
