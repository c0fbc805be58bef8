-- Messaging: channels, conversations and their messages, inboxes, what people want and what they refused, and what was tried towards vendors.

create table platform.channel (
  tenant_id int not null references platform.tenant,
  channel_id int generated always as identity,
  internal_name text not null,
  channel text not null check (channel in ('sms', 'whatsapp', 'email')),
  provider text not null check (provider in ('twilio', 'smtp')),
  settings jsonb not null,
  -- A JSON object of secrets, sealed with the tenant's key and bound to `channel:<channel_id>`; null where there are none.
  sealed_secrets bytea,
  -- Shown in their place.
  secret_names text[] not null default '{}',
  -- Random, in the address of the webhook.
  channel_key text not null unique,
  created_date timestamptz not null,
  modified_date timestamptz not null,
  primary key (tenant_id, channel_id),
  unique (channel_id)
);
create unique index channel_name on platform.channel (tenant_id, lower(internal_name));
call platform.protect('platform.channel');
call platform.allow_lookup('platform.channel', 'tenant_id, channel_key');

create table platform.conversation (
  tenant_id int not null references platform.tenant,
  conversation_id bigint generated always as identity,
  state text not null default 'open' check (state in ('open', 'ended')),
  channel text not null,
  -- Null on the inbox, and once the channel was deleted.
  channel_id int,
  -- Whom it is with: a user, an address (E.164 or e-mail in lower case), or both.
  tenant_user_id int,
  address text,
  -- The record that it is about.
  ei_record_id bigint,
  subject text,
  started_by int,
  -- Taken under this row's lock, so that messages commit in the order of their seq and a cursor never misses one.
  last_seq int not null default 0,
  last_inbound_seq int not null default 0,
  last_outbound_seq int not null default 0,
  created_date timestamptz not null,
  last_message_date timestamptz not null,
  ended_date timestamptz,
  primary key (tenant_id, conversation_id),
  unique (conversation_id),
  foreign key (tenant_id, channel_id) references platform.channel on delete set null (channel_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user
);
create index conversation_open on platform.conversation (tenant_id, channel_id, address, conversation_id) where state = 'open' and address is not null;
create index conversation_user on platform.conversation (tenant_id, tenant_user_id, conversation_id);
create index conversation_record on platform.conversation (tenant_id, ei_record_id, conversation_id) where ei_record_id is not null;
call platform.protect('platform.conversation');

create table platform.message (
  tenant_id int not null,
  message_id bigint generated always as identity,
  conversation_id bigint not null,
  seq int not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  channel text not null,
  channel_id int,
  from_address text,
  to_address text,
  from_user_id int,
  -- The owner of the inbox that it lies in, and its number there, taken under the counter's lock.
  to_user_id int,
  inbox_seq int,
  text text not null default '',
  card jsonb,
  -- Of an answer: the key of the choice.
  choice text,
  -- stop, start or help, where that is all that was said.
  keyword text,
  asset_keys text[] not null default '{}',
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'failed', 'unknown', 'suppressed')),
  -- Callbacks come unordered and repeated: a status of a lower rank never replaces a higher one.
  status_rank int not null,
  reason text,
  vendor_code text,
  -- The vendor's id: Twilio's SID, an e-mail's Message-ID.
  provider_id text,
  is_urgent boolean not null default false,
  -- Of inbound e-mail: what SPF, DKIM and DMARC said.
  authentication jsonb,
  at timestamptz not null,
  sent_date timestamptz,
  delivered_date timestamptz,
  read_date timestamptz,
  answered_date timestamptz,
  primary key (tenant_id, message_id),
  unique (message_id),
  unique (tenant_id, conversation_id, seq),
  foreign key (tenant_id, conversation_id) references platform.conversation,
  foreign key (tenant_id, channel_id) references platform.channel on delete set null (channel_id)
);
create unique index message_inbox on platform.message (tenant_id, to_user_id, inbox_seq) where inbox_seq is not null;
create index message_unread on platform.message (tenant_id, to_user_id) where inbox_seq is not null and status = 'delivered';
create index message_provider on platform.message (tenant_id, provider_id) where provider_id is not null;
call platform.protect('platform.message');

-- Pictures and files that came with a message and lie at the vendor until an activity fetches them.
create table platform.message_media (
  tenant_id int not null,
  message_id bigint not null,
  position int not null,
  url text not null,
  mime_type text not null,
  asset_key text,
  failed_at timestamptz,
  primary key (tenant_id, message_id, position),
  foreign key (tenant_id, message_id) references platform.message
);
call platform.protect('platform.message_media');

-- What was tried towards a vendor. A row is committed before the call: one without an outcome is a call that may have happened.
create table platform.message_attempt (
  tenant_id int not null,
  message_id bigint not null,
  attempt_no int not null,
  claimed_at timestamptz not null default clock_timestamp(),
  outcome text check (outcome in ('sent', 'notSent', 'refused', 'unknown')),
  detail text,
  primary key (tenant_id, message_id, attempt_no),
  foreign key (tenant_id, message_id) references platform.message
);
call platform.protect('platform.message_attempt');

create table platform.inbox_counter (
  tenant_id int not null,
  tenant_user_id int not null,
  last_seq int not null,
  primary key (tenant_id, tenant_user_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user
);
call platform.protect('platform.inbox_counter');

create table platform.contact_preference (
  tenant_id int not null,
  tenant_user_id int not null,
  channel_order text[] not null default '{}',
  -- {start, end, timeZoneIana}, times as HH:MM in that zone.
  quiet_hours jsonb,
  allows_urgent boolean not null default true,
  primary key (tenant_id, tenant_user_id),
  foreign key (tenant_id, tenant_user_id) references platform.tenant_user
);
call platform.protect('platform.contact_preference');

-- Who refused which channel, and who took it back: the newest row of an address counts. Rows are never changed.
create table platform.opt_out (
  tenant_id int not null references platform.tenant,
  opt_out_id bigint generated always as identity,
  channel text not null,
  address text not null,
  is_out boolean not null,
  source text not null check (source in ('person', 'vendor', 'administrator')),
  at timestamptz not null,
  primary key (tenant_id, opt_out_id)
);
create index opt_out_newest on platform.opt_out (tenant_id, channel, address, opt_out_id desc);
call platform.protect('platform.opt_out', 'select, insert');

-- What vendors have delivered already: the same delivery twice is stored once.
create table platform.channel_receipt (
  tenant_id int not null,
  channel_id int not null,
  receipt_key text not null,
  at timestamptz not null,
  primary key (tenant_id, channel_id, receipt_key),
  foreign key (tenant_id, channel_id) references platform.channel on delete cascade
);
call platform.protect('platform.channel_receipt', 'select, insert');
