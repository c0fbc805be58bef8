-- Menus: what users, portals and phones open, as a tree.
create table platform.menu_item (
  tenant_id int not null references platform.tenant,
  menu_item_id int not null default nextval('platform.catalog_id'),
  parent_id int,
  -- Who made it.
  tenant_user_id int not null,
  item_type text not null check (item_type in ('Form', 'View', 'Report', 'Surface', 'Workflow', 'ActionPack', 'Url', 'Folder')),
  -- The definition that it opens; one that is deleted leaves the item, which is then not shown.
  target_id int,
  external_url text,
  internal_name text not null,
  icon_key text not null default '',
  display_order int not null default 0,
  is_shared boolean not null default true,
  is_visible_in_menu boolean not null default true,
  is_api_visible boolean not null default true,
  channel_flag int not null default 15,
  role_flag int not null default 0,
  home_area_id int,
  created_date timestamptz not null default now(),
  modified_date timestamptz not null default now(),
  primary key (tenant_id, menu_item_id),
  foreign key (tenant_id, parent_id) references platform.menu_item (tenant_id, menu_item_id)
);
create unique index menu_item_name on platform.menu_item (tenant_id, lower(internal_name));
call platform.protect('platform.menu_item');

create table platform.menu_item_display (
  tenant_id int not null,
  menu_item_id int not null,
  language_region_id int not null references platform.language,
  name text not null,
  description text not null default '',
  primary key (tenant_id, menu_item_id, language_region_id),
  foreign key (tenant_id, menu_item_id) references platform.menu_item on delete cascade
);
call platform.protect('platform.menu_item_display');
