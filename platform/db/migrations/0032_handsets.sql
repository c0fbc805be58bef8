-- Handsets of a provider that stands in for a vendor.

-- Kinds of channels and providers are one list, in the code, which refuses all others.
alter table platform.channel drop constraint channel_channel_check, drop constraint channel_provider_check;

create index conversation_of_channel on platform.conversation (tenant_id, channel_id, conversation_id) where channel_id is not null;

-- What a handset does with the next message that comes to it, once.
create table platform.handset_plan (
  tenant_id int not null,
  channel_id int not null,
  address text not null,
  does text not null check (does in ('fail', 'delay')),
  reason text,
  seconds int,
  primary key (tenant_id, channel_id, address),
  foreign key (tenant_id, channel_id) references platform.channel on delete cascade
);
call platform.protect('platform.handset_plan');
