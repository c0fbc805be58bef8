-- Messages that go out on another channel where they do not arrive. The rows are the truth: whoever finds one due sends the next in the transaction that says so.
create table platform.message_fallback (
  tenant_id int not null,
  message_id bigint not null,
  conversation_id bigint not null,
  -- Still to be tried, in their order.
  channels text[] not null,
  after_seconds int not null,
  -- What it was asked to say, as another channel may say it otherwise.
  content jsonb not null,
  owner_id int not null,
  role_flag int not null,
  -- Null once it is over.
  next_look timestamptz,
  -- What went out in its place.
  next_message_id bigint,
  primary key (tenant_id, message_id),
  foreign key (tenant_id, conversation_id) references platform.conversation
);
create index message_fallback_look on platform.message_fallback (next_look) where next_look is not null;
call platform.protect('platform.message_fallback');
call platform.allow_lookup('platform.message_fallback', 'tenant_id, message_id, next_look');

-- Ways that a conversation went before: what comes in there belongs to it still.
create table platform.conversation_way (
  tenant_id int not null,
  conversation_id bigint not null,
  channel text not null,
  channel_id int,
  address text,
  unique nulls not distinct (tenant_id, conversation_id, channel_id, address),
  foreign key (tenant_id, conversation_id) references platform.conversation,
  foreign key (tenant_id, channel_id) references platform.channel on delete cascade
);
create index conversation_way_address on platform.conversation_way (tenant_id, channel_id, address) where address is not null;
call platform.protect('platform.conversation_way');
