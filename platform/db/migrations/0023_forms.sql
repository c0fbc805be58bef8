-- Of forms: the version of their layout, and the layouts that they had, today's among them, with the names of their last save as JSON text.
create table platform.form (
  tenant_id int not null,
  form_id int not null,
  layout_version int not null,
  primary key (tenant_id, form_id),
  foreign key (tenant_id, form_id) references platform.definition on delete cascade
);
call platform.protect('platform.form');

create table platform.form_layout (
  tenant_id int not null,
  form_id int not null,
  layout_version int not null,
  body text not null,
  -- Which id stands for the name at which place of the body.
  refs text not null,
  size_bytes int not null generated always as (octet_length(body) + octet_length(refs)) stored,
  created_date timestamptz not null,
  -- The tenant user who saved it.
  created_by int not null,
  primary key (tenant_id, form_id, layout_version),
  foreign key (tenant_id, form_id) references platform.form on delete cascade
);
call platform.protect('platform.form_layout');
