-- Definitions: categories, properties with their options, entities with what they are composed of. Their ids come from one sequence where a
-- save may name either a property or an entity property.

-- What ships with the product has the ids below, so that a globalSourceId means one thing.
create sequence platform.catalog_id as int start with 10001;
grant usage on sequence platform.catalog_id to fieldloop_app;

create table platform.category (
  -- 0: of the product, seen by every tenant.
  tenant_id int not null,
  category_id int generated always as identity,
  internal_name text not null,
  primary key (tenant_id, category_id),
  unique (category_id)
);
create unique index category_name on platform.category (tenant_id, lower(internal_name));
alter table platform.category enable row level security;
create policy of_tenant_or_product on platform.category for select to fieldloop_app
  using (tenant_id = 0 or tenant_id = nullif(current_setting('app.tenant_id', true), '')::int);
create policy of_tenant on platform.category to fieldloop_app
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::int)
  with check (tenant_id = nullif(current_setting('app.tenant_id', true), '')::int);
grant select, insert, update, delete on platform.category to fieldloop_app;
insert into platform.category (tenant_id, internal_name) values (0, 'General'), (0, 'Identity'), (0, 'Location'), (0, 'Time'), (0, 'Money'), (0, 'Media'), (0, 'Work');

-- Tenants whose global administrators have published definitions. A transaction that names one of them in app.published_of sees, beside its own
-- tenant's rows, what that tenant has published; the setting stands first in each policy, so that nobody else pays for the look-up behind it.
create table platform.publisher (
  tenant_id int primary key references platform.tenant
);
call platform.protect('platform.publisher', 'select, insert');
create policy seen_by_all on platform.publisher for select to fieldloop_app using (true);

create table platform.property (
  tenant_id int not null references platform.tenant,
  property_id int not null default nextval('platform.catalog_id'),
  -- 1 Number, 2 DateTime, 3 DateOnly, 4 TimeOnly, 5 Text, 6 Choice, 7 Attachment, 8 Signature, 9 Boolean, 10 Currency, 11 Hierarchy, 12 Binary
  data_type_id int not null check (data_type_id between 1 and 12),
  internal_name text not null,
  max_decimal_places int,
  max_value_or_length float8,
  min_value_or_length float8,
  reg_ex text,
  is_sensitive boolean not null default false,
  is_identity_email boolean not null default false,
  is_identity_phone boolean not null default false,
  is_tenant_user_role boolean not null default false,
  allowed_file_types text[] not null default '{}',
  storage_shortcut_id int,
  category_id int references platform.category (category_id),
  vertical_id int references platform.vertical,
  global_source_id int,
  -- global: published for every tenant to install.
  scope text not null default 'tenant' check (scope in ('tenant', 'global')),
  created_date timestamptz not null default now(),
  modified_date timestamptz not null default now(),
  primary key (tenant_id, property_id)
);
create unique index property_name on platform.property (tenant_id, lower(internal_name));
call platform.protect('platform.property');
create policy published on platform.property for select to fieldloop_app
  using (tenant_id = nullif(current_setting('app.published_of', true), '')::int and scope = 'global');

create table platform.property_display (
  tenant_id int not null,
  property_id int not null,
  language_region_id int not null references platform.language,
  name text not null,
  description text not null default '',
  reg_ex text,
  is_translation_locked boolean not null default false,
  primary key (tenant_id, property_id, language_region_id),
  foreign key (tenant_id, property_id) references platform.property on delete cascade
);
call platform.protect('platform.property_display');
create policy published on platform.property_display for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.property p where p.tenant_id = property_display.tenant_id and p.property_id = property_display.property_id and p.scope = 'global'));

create table platform.property_option (
  tenant_id int not null,
  option_id int not null default nextval('platform.catalog_id'),
  property_id int not null,
  internal_name text not null,
  parent_option_id int,
  position int not null,
  -- Deleted: no new value takes it, while earlier versions of records still show its name.
  retired_at timestamptz,
  primary key (tenant_id, option_id),
  foreign key (tenant_id, property_id) references platform.property on delete cascade,
  foreign key (tenant_id, parent_option_id) references platform.property_option (tenant_id, option_id)
);
create unique index property_option_name on platform.property_option (tenant_id, property_id, lower(internal_name)) where retired_at is null;
call platform.protect('platform.property_option');
create policy published on platform.property_option for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.property p where p.tenant_id = property_option.tenant_id and p.property_id = property_option.property_id and p.scope = 'global'));

create table platform.property_option_display (
  tenant_id int not null,
  option_id int not null,
  language_region_id int not null references platform.language,
  name text not null,
  description text not null default '',
  primary key (tenant_id, option_id, language_region_id),
  foreign key (tenant_id, option_id) references platform.property_option on delete cascade
);
call platform.protect('platform.property_option_display');
create policy published on platform.property_option_display for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.property_option o join platform.property p on p.tenant_id = o.tenant_id and p.property_id = o.property_id
    where o.tenant_id = property_option_display.tenant_id and o.option_id = property_option_display.option_id and p.scope = 'global'));

create table platform.property_option_filter (
  tenant_id int not null,
  property_option_filter_id int not null default nextval('platform.catalog_id'),
  property_id int not null,
  internal_name text not null,
  option_ids int[] not null,
  primary key (tenant_id, property_option_filter_id),
  foreign key (tenant_id, property_id) references platform.property on delete cascade
);
create unique index property_option_filter_name on platform.property_option_filter (tenant_id, property_id, lower(internal_name));
call platform.protect('platform.property_option_filter');
create policy published on platform.property_option_filter for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.property p
    where p.tenant_id = property_option_filter.tenant_id and p.property_id = property_option_filter.property_id and p.scope = 'global'));

create table platform.entity (
  tenant_id int not null references platform.tenant,
  entity_id int not null default nextval('platform.catalog_id'),
  internal_name text not null,
  category_id int references platform.category (category_id),
  vertical_id int references platform.vertical,
  global_source_id int,
  scope text not null default 'tenant' check (scope in ('tenant', 'global')),
  -- Its records are people: linked to users by the identity properties below.
  is_tenant_user_role boolean not null default false,
  identity_email_property_id int,
  identity_phone_property_id int,
  -- The record table and the history table are made at the first write and the first change.
  has_table boolean not null default false,
  has_history boolean not null default false,
  -- Raised by a wipe, so that watermarks from before it are refused.
  wipe_no int not null default 0,
  created_date timestamptz not null default now(),
  modified_date timestamptz not null default now(),
  primary key (tenant_id, entity_id)
);
create unique index entity_name on platform.entity (tenant_id, lower(internal_name));
call platform.protect('platform.entity');
create policy published on platform.entity for select to fieldloop_app
  using (tenant_id = nullif(current_setting('app.published_of', true), '')::int and scope = 'global');

create table platform.entity_display (
  tenant_id int not null,
  entity_id int not null,
  language_region_id int not null references platform.language,
  name text not null,
  description text not null default '',
  is_translation_locked boolean not null default false,
  primary key (tenant_id, entity_id, language_region_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
call platform.protect('platform.entity_display');
create policy published on platform.entity_display for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.entity e where e.tenant_id = entity_display.tenant_id and e.entity_id = entity_display.entity_id and e.scope = 'global'));

create table platform.entity_property (
  tenant_id int not null,
  entity_property_id int not null default nextval('platform.catalog_id'),
  entity_id int not null,
  property_id int not null,
  -- Names the column: c<column_id>, never used again. A change between one and many gets a new one.
  column_id int not null default nextval('platform.catalog_id'),
  is_required boolean not null default false,
  is_list boolean not null default false,
  key_part int check (key_part between 1 and 3),
  position int not null,
  property_option_filter_id int,
  -- What runs when an attachment of this property is saved (set_attachment_analysis).
  analysis jsonb,
  primary key (tenant_id, entity_property_id),
  unique (tenant_id, entity_id, property_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade,
  foreign key (tenant_id, property_id) references platform.property
);
create index entity_property_property on platform.entity_property (tenant_id, property_id);
create unique index entity_property_key on platform.entity_property (tenant_id, entity_id, key_part) where key_part is not null;
call platform.protect('platform.entity_property');
create policy published on platform.entity_property for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.entity e where e.tenant_id = entity_property.tenant_id and e.entity_id = entity_property.entity_id and e.scope = 'global'));

create table platform.entity_relation (
  tenant_id int not null,
  -- Shown as the entityPropertyId of the child in describe_entity.
  entity_relation_id int not null default nextval('platform.catalog_id'),
  kind text not null check (kind in ('child', 'peer')),
  entity_id int not null,
  other_entity_id int not null,
  is_required boolean not null default false,
  is_list boolean not null default true,
  position int not null,
  primary key (tenant_id, entity_relation_id),
  unique (tenant_id, kind, entity_id, other_entity_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade,
  foreign key (tenant_id, other_entity_id) references platform.entity
);
create index entity_relation_other on platform.entity_relation (tenant_id, other_entity_id);
call platform.protect('platform.entity_relation');
create policy published on platform.entity_relation for select to fieldloop_app using (
  tenant_id = nullif(current_setting('app.published_of', true), '')::int and exists (
    select from platform.entity e where e.tenant_id = entity_relation.tenant_id and e.entity_id = entity_relation.entity_id and e.scope = 'global'));

-- Ids of records are handed out in blocks of 1,024; the block tells the entity of an id.
create sequence platform.record_block_no as bigint;
grant usage on sequence platform.record_block_no to fieldloop_app;
create table platform.record_block (
  block_no bigint primary key default nextval('platform.record_block_no'),
  tenant_id int not null,
  entity_id int not null
);
call platform.protect('platform.record_block', 'select, insert');

-- Records that are people, and the users they were matched with; written in the record's transaction.
create table platform.identity_link (
  tenant_id int not null,
  entity_id int not null,
  ei_record_id bigint not null,
  tenant_user_id int not null,
  matched_by text not null check (matched_by in ('email', 'phone')),
  linked_at timestamptz not null default now(),
  primary key (tenant_id, entity_id, ei_record_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade,
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user (tenant_id, tenant_user_id) on delete cascade
);
create index identity_link_user on platform.identity_link (tenant_id, tenant_user_id);
call platform.protect('platform.identity_link');
