-- Stored definitions: views, and whatever else people author that names entities, properties and options. What only one kind has stands in its own table.

create table platform.definition (
  tenant_id int not null references platform.tenant,
  definition_id int not null default nextval('platform.catalog_id'),
  kind text not null,
  -- The entity that it is listed under and goes with; null: it stands by itself.
  entity_id int,
  internal_name text not null,
  description text not null default '',
  -- JSON as text, with the names of its last save.
  body text not null,
  -- JSON as text: which id stands for the name at which place of the body.
  refs text not null,
  -- The tenant user who made it.
  owner_id int not null,
  is_shared boolean not null default false,
  is_api_visible boolean not null default true,
  is_system boolean not null default false,
  created_date timestamptz not null default now(),
  modified_date timestamptz not null default now(),
  primary key (tenant_id, definition_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
create unique index definition_name on platform.definition (tenant_id, kind, lower(internal_name));
create index definition_entity on platform.definition (tenant_id, entity_id, kind);
call platform.protect('platform.definition');

-- What a definition uses, so that a deletion can name it. 0 stands for none.
create table platform.definition_use (
  tenant_id int not null,
  definition_id int not null,
  entity_id int not null default 0,
  property_id int not null default 0,
  option_id int not null default 0,
  -- Of a relationship: the other end.
  other_entity_id int not null default 0,
  used_definition_id int not null default 0,
  primary key (tenant_id, definition_id, entity_id, property_id, option_id, other_entity_id, used_definition_id),
  foreign key (tenant_id, definition_id) references platform.definition on delete cascade
);
create index definition_use_entity on platform.definition_use (tenant_id, entity_id, property_id);
create index definition_use_property on platform.definition_use (tenant_id, property_id);
create index definition_use_option on platform.definition_use (tenant_id, option_id) where option_id <> 0;
create index definition_use_other on platform.definition_use (tenant_id, other_entity_id) where other_entity_id <> 0;
create index definition_use_definition on platform.definition_use (tenant_id, used_definition_id) where used_definition_id <> 0;
call platform.protect('platform.definition_use');
