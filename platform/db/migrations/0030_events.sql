-- What happened, told in the transaction that does it and kept for a month. One row tells of all records of an entity that a transaction changed the
-- same way.
create table platform.event (
  tenant_id int not null,
  kind text not null,
  at timestamptz not null,
  event_id bigint not null generated always as identity,
  -- In whose name; null: the product's.
  by_user int,
  -- Of which entity its records are; 0: it is about none.
  entity_id int not null default 0,
  record_ids bigint[],
  -- The version that the change made of each record; null where it is about a record and changed none.
  versions int[],
  -- What else is told: ids and states.
  data jsonb,
  -- What caused it.
  origin_kind text not null,
  origin_id bigint,
  depth smallint not null,
  -- Somebody watches for such a thing, and was not asked yet.
  is_waiting boolean not null,
  primary key (tenant_id, kind, at, event_id)
);
create index event_waiting on platform.event (tenant_id, entity_id, event_id) where is_waiting;
call platform.protect('platform.event');
call platform.allow_lookup('platform.event', 'tenant_id, kind, at, event_id, entity_id, is_waiting');
grant delete on platform.event to fieldloop_lookup;

-- Who wants to hear of what: subscriptions, and whatever else is started by what happens.
create table platform.event_watcher (
  tenant_id int not null references platform.tenant,
  watcher_id int not null generated always as identity,
  -- What kind of thing watches, and the definition that it is.
  watcher_kind text not null,
  definition_id int not null,
  event_kinds text[] not null,
  -- Null: records of every entity.
  entity_id int,
  -- Null: whatever changed. Else one of these properties has.
  property_ids int[],
  -- JSON as text, with the names of its last save; null: all of them.
  filter text,
  filter_refs text,
  -- In whose name it looks, and at most with which roles.
  owner_id int not null,
  role_flag int not null,
  -- What happened before is none of its business.
  since timestamptz not null,
  primary key (tenant_id, watcher_id),
  foreign key (tenant_id, definition_id) references platform.definition on delete cascade
);
create index event_watcher_definition on platform.event_watcher (tenant_id, definition_id);
call platform.protect('platform.event_watcher');

-- Whom events go to over HTTP. The name, the filter and what it uses stand in its definition.
create table platform.event_subscription (
  tenant_id int not null,
  subscription_id int not null,
  -- In whose name it is told, and at most with which roles.
  owner_id int not null,
  role_flag int not null,
  url text not null,
  sealed_secrets bytea,
  is_enabled boolean not null,
  -- Why the product switched it off.
  disabled_reason text,
  -- Since when no delivery succeeded.
  failing_since timestamptz,
  -- When its owner was last told of a dead letter.
  noticed_at timestamptz,
  -- When deliveries are due; null: none is, or it is off.
  next_look timestamptz,
  leased_until timestamptz,
  lease_owner text,
  primary key (tenant_id, subscription_id),
  foreign key (tenant_id, subscription_id) references platform.definition on delete cascade
);
create index event_subscription_look on platform.event_subscription (next_look) where next_look is not null;
call platform.protect('platform.event_subscription');
call platform.allow_lookup('platform.event_subscription', 'tenant_id, subscription_id, next_look, leased_until');

create table platform.event_delivery (
  tenant_id int not null,
  delivery_id bigint not null generated always as identity,
  subscription_id int not null,
  kind text not null,
  -- The event, and the one of its records; null: a sample.
  event_at timestamptz not null,
  event_id bigint,
  record_id bigint,
  version int,
  -- waiting, retrying, delivered, dead or skipped
  state text not null,
  -- Since it was last asked for.
  attempts int not null default 0,
  -- The last tries: when, the status of the answer or what went wrong, and how long it took.
  tries jsonb not null default '[]',
  reason text,
  -- Null: it is over.
  next_at timestamptz,
  created_date timestamptz not null,
  delivered_date timestamptz,
  primary key (tenant_id, delivery_id),
  foreign key (tenant_id, subscription_id) references platform.event_subscription on delete cascade
);
create index event_delivery_due on platform.event_delivery (tenant_id, subscription_id, next_at) where next_at is not null;
create index event_delivery_listed on platform.event_delivery (tenant_id, subscription_id, delivery_id);
create index event_delivery_old on platform.event_delivery using brin (created_date);
call platform.protect('platform.event_delivery');
call platform.allow_lookup('platform.event_delivery', 'tenant_id, delivery_id, created_date');
grant delete on platform.event_delivery to fieldloop_lookup;
