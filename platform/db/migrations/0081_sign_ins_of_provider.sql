-- What began by the provider of a tenant that is no more goes with it.
alter table platform.sign_in
  drop constraint sign_in_provider_tenant_id_fkey,
  add constraint sign_in_provider_tenant_id_fkey foreign key (provider_tenant_id) references platform.tenant on delete cascade;
