-- Action packs: what a tenant may install, each version as it was written. An install is a definition that is published as a workflow's is, with settings.
create table platform.action_pack (
  tenant_id int not null references platform.tenant,
  -- Lower ids are those of the packs that ship with the product.
  pack_id int not null generated always as identity (start with 1000),
  internal_name text not null,
  created_date timestamptz not null,
  primary key (tenant_id, pack_id)
);
create unique index action_pack_name on platform.action_pack (tenant_id, lower(internal_name));
call platform.protect('platform.action_pack');

create table platform.action_pack_version (
  tenant_id int not null,
  pack_id int not null,
  version text not null,
  -- Versions in the order of their numbers, whatever order they were written in.
  sort_key text not null,
  manifest text not null,
  size_bytes int not null generated always as (octet_length(manifest)) stored,
  created_date timestamptz not null,
  -- The tenant user who wrote it.
  created_by int not null,
  primary key (tenant_id, pack_id, version),
  foreign key (tenant_id, pack_id) references platform.action_pack on delete cascade
);
call platform.protect('platform.action_pack_version');

create table platform.action_pack_install (
  tenant_id int not null references platform.tenant,
  -- The id of its definition.
  install_id int not null,
  pack_id int not null,
  pack text not null,
  version text not null,
  -- Those that are not sensitive.
  settings jsonb not null,
  primary key (tenant_id, install_id)
);
create index action_pack_install_pack on platform.action_pack_install (tenant_id, pack_id);
call platform.protect('platform.action_pack_install');

-- Sensitive settings. Runs hold the mark in place of the value, which nobody can guess, and what is sent outside opens it.
create table platform.action_pack_secret (
  tenant_id int not null,
  install_id int not null,
  name text not null,
  mark text not null,
  sealed_value bytea not null,
  primary key (tenant_id, install_id, name),
  foreign key (tenant_id, install_id) references platform.action_pack_install on delete cascade
);
call platform.protect('platform.action_pack_secret');

-- Of the run of an install its pack; and whether a loop went on past failures, which is known when it ends.
alter table platform.workflow_run add column pack text, add column pack_version text, add column had_failures boolean not null default false;
create index workflow_run_action on platform.workflow_run (tenant_id, run_id) where pack is not null;
create index workflow_run_action_date on platform.workflow_run (tenant_id, created_date) where pack is not null;

-- What loops have gone over that go over each element once in all runs of their definition.
create table platform.workflow_once (
  tenant_id int not null references platform.tenant,
  workflow_id int not null,
  step text not null,
  -- A hash of what an element is known by.
  key text not null,
  -- By whom it was taken: another try of the same step goes over it again.
  run_id bigint not null,
  step_no int not null,
  at timestamptz not null,
  primary key (tenant_id, workflow_id, step, key)
);
call platform.protect('platform.workflow_once');
