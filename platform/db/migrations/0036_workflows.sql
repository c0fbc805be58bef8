-- Workflows: what a definition has beside its draft. Its runs go on when it is deleted, so nothing here hangs on the definition.
create table platform.workflow (
  tenant_id int not null references platform.tenant,
  -- The id of the definition.
  workflow_id int not null,
  -- The newest that was published; null: none yet.
  version int,
  -- Whether its triggers fire.
  is_enabled boolean not null default false,
  -- The tenant user as whom its runs act, made with the first version.
  service_user_id int,
  published_date timestamptz,
  deleted_date timestamptz,
  primary key (tenant_id, workflow_id)
);
call platform.protect('platform.workflow');

-- Frozen: runs keep the version that they began with.
create table platform.workflow_version (
  tenant_id int not null,
  workflow_id int not null,
  version int not null,
  internal_name text not null,
  entity_id int,
  body text not null,
  -- Which id stands for the name at which place of the body.
  refs text not null,
  -- What leads where, as runs go through it.
  plan text not null,
  -- What its runs may do.
  role_flag int not null,
  -- What differs from the version before, in words.
  changes text not null,
  size_bytes int not null generated always as (octet_length(body) + octet_length(refs) + octet_length(plan)) stored,
  created_date timestamptz not null,
  -- The tenant user who published it.
  created_by int not null,
  primary key (tenant_id, workflow_id, version),
  foreign key (tenant_id, workflow_id) references platform.workflow on delete cascade
);
call platform.protect('platform.workflow_version');

-- The triggers of the published version; they fire while the workflow is enabled.
create table platform.workflow_trigger (
  tenant_id int not null,
  trigger_id int not null,
  workflow_id int not null,
  version int not null,
  trigger_type text not null,
  -- Whose records it fires on.
  entity_id int,
  is_enabled boolean not null,
  body text not null,
  primary key (tenant_id, trigger_id),
  foreign key (tenant_id, workflow_id) references platform.workflow on delete cascade
);
create index workflow_trigger_workflow on platform.workflow_trigger (tenant_id, workflow_id);
create index workflow_trigger_kind on platform.workflow_trigger (tenant_id, trigger_type, entity_id);
call platform.protect('platform.workflow_trigger');

-- Addresses of webhook triggers. They outlive a change of the triggers, as whoever calls them knows them.
create table platform.workflow_webhook (
  tenant_id int not null,
  trigger_id int not null,
  workflow_id int not null,
  trigger_key text not null,
  -- Null: none was made yet.
  sealed_secret bytea,
  primary key (tenant_id, trigger_id),
  foreign key (tenant_id, workflow_id) references platform.workflow on delete cascade
);
create unique index workflow_webhook_key on platform.workflow_webhook (trigger_key);
create index workflow_webhook_workflow on platform.workflow_webhook (tenant_id, workflow_id);
call platform.protect('platform.workflow_webhook');
call platform.allow_lookup('platform.workflow_webhook', 'tenant_id, workflow_id, trigger_id, trigger_key');

-- What steps, connections and packs send to hosts outside, by name.
create table platform.secret (
  tenant_id int not null references platform.tenant,
  secret_id int not null generated always as identity,
  internal_name text not null,
  hosts text[] not null,
  -- The header that it goes into, and what stands before it there, unless told where it is used.
  header text,
  prefix text,
  -- Null only until it is sealed, in the transaction that makes the row.
  sealed_value bytea,
  created_date timestamptz not null,
  modified_date timestamptz not null,
  last_used_date timestamptz,
  primary key (tenant_id, secret_id)
);
create unique index secret_name on platform.secret (tenant_id, lower(internal_name));
call platform.protect('platform.secret');
