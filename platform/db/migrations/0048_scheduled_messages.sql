-- Messages that go out later. The rows are the truth; whoever finds one due sends it in the transaction that says that it was sent.
create table platform.scheduled_message (
  tenant_id int not null,
  scheduled_message_id bigint generated always as identity,
  -- Where it will stand, and where it is found until then.
  conversation_id bigint not null,
  state text not null default 'scheduled' check (state in ('scheduled', 'sent', 'cancelled', 'failed')),
  -- Whom and how, as it was asked for; null where a conversation is continued.
  recipient jsonb,
  channel text,
  content jsonb not null,
  send_at timestamptz not null,
  -- By whose wall the time was told.
  time_zone text,
  -- In whose name it goes out, and at most with which roles.
  owner_id int not null,
  role_flag int not null,
  message_id bigint,
  reason text,
  -- At send_at, or later where it was put off; null once it is over.
  next_look timestamptz,
  created_date timestamptz not null,
  ended_date timestamptz,
  primary key (tenant_id, scheduled_message_id),
  unique (scheduled_message_id),
  foreign key (tenant_id, conversation_id) references platform.conversation,
  check ((state = 'scheduled') = (next_look is not null))
);
create index scheduled_message_look on platform.scheduled_message (next_look) where next_look is not null;
create index scheduled_message_conversation on platform.scheduled_message (tenant_id, conversation_id, send_at);
create index scheduled_message_waiting on platform.scheduled_message (tenant_id, conversation_id, send_at) where state = 'scheduled';
call platform.protect('platform.scheduled_message');
call platform.allow_lookup('platform.scheduled_message', 'tenant_id, scheduled_message_id, next_look');
