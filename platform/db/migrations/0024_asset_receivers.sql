-- To whom a file that is its maker's alone was sent: it is theirs too.
create table platform.asset_receiver (
  tenant_id int not null,
  asset_key uuid not null,
  tenant_user_id int not null,
  primary key (tenant_id, asset_key, tenant_user_id),
  foreign key (tenant_id, asset_key) references platform.asset on delete cascade
);
call platform.protect('platform.asset_receiver', 'select, insert');
