-- Properties that entities had: what an earlier version of a record holds of them is told by name.
create table platform.detached_property (
  tenant_id int not null,
  entity_id int not null,
  column_id int not null,
  internal_name text not null,
  primary key (tenant_id, entity_id, column_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
call platform.protect('platform.detached_property', 'select, insert, delete');
