-- Mails in a tenant's own words, of each type in each language; what is not there is as shipped.
create table platform.email_template (
  tenant_id int not null references platform.tenant,
  template_type text not null,
  language_region_id int not null references platform.language,
  subject text not null,
  body text not null,
  modified_date timestamptz not null,
  primary key (tenant_id, template_type, language_region_id)
);
call platform.protect('platform.email_template');
call platform.allow_lookup('platform.email_template', 'tenant_id, template_type, language_region_id, subject, body');
