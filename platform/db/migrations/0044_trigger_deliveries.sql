-- What called webhook triggers within a day: a replay starts nothing.
create table platform.trigger_delivery (
  tenant_id int not null references platform.tenant,
  trigger_id int not null,
  -- A digest of what the sender named it by.
  name bytea not null,
  run_id bigint,
  at timestamptz not null,
  primary key (tenant_id, trigger_id, name)
);
create index trigger_delivery_old on platform.trigger_delivery (at);
call platform.protect('platform.trigger_delivery');
call platform.allow_lookup('platform.trigger_delivery', 'tenant_id, trigger_id, at');
grant delete on platform.trigger_delivery to fieldloop_lookup;
