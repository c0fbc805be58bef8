-- Files that a vendor takes once the person has agreed to each: what they agreed to, and where the file goes then.
create table platform.message_consent (
  tenant_id int not null,
  message_id bigint not null,
  asset_key text not null,
  details jsonb not null,
  uploaded_date timestamptz,
  done_date timestamptz,
  primary key (tenant_id, message_id, asset_key),
  foreign key (tenant_id, message_id) references platform.message
);
create index message_consent_open on platform.message_consent (tenant_id, message_id) where done_date is null;
call platform.protect('platform.message_consent');
