-- Addresses of people that are no contact of theirs: accounts that they proved, and browsers that take pushes.

create table platform.channel_address (
  tenant_id int not null,
  channel_address_id bigint generated always as identity,
  channel_id int not null,
  -- Whose it is; null where somebody wrote who is no user.
  tenant_user_id int,
  address text not null,
  -- Of a push, which browser; else empty.
  device text not null default '',
  -- What a call needs beside the address: a JSON object, sealed with the tenant's key and bound to `channel address:<channel_id>/<address>/<device>`.
  sealed_details bytea,
  registered_date timestamptz not null,
  primary key (tenant_id, channel_address_id),
  unique (tenant_id, channel_id, address, device),
  foreign key (tenant_id, channel_id) references platform.channel on delete cascade,
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user on delete cascade
);
create index channel_address_user on platform.channel_address (tenant_id, tenant_user_id) where tenant_user_id is not null;
call platform.protect('platform.channel_address');

-- A code that links the account from which it is written to its user, once.
create table platform.channel_link_code (
  tenant_id int not null,
  channel_id int not null,
  tenant_user_id int not null,
  -- SHA-256 of it.
  code_hash bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, channel_id, tenant_user_id),
  unique (tenant_id, channel_id, code_hash),
  foreign key (tenant_id, channel_id) references platform.channel on delete cascade,
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user on delete cascade
);
call platform.protect('platform.channel_link_code');
