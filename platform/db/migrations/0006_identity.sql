-- What records of bridged entities say of the person behind them, written in the record's transaction. Who that is follows from the contacts of
-- users at the moment of asking, so that neither a save nor a change of contacts has to look after the other.
alter table platform.user_contact add column added_at timestamptz not null default date_trunc('milliseconds', now());

create table platform.identity_claim (
  tenant_id int not null,
  ei_record_id bigint not null,
  entity_id int not null,
  -- In the normal form of user_contact.value.
  email text,
  phone text,
  claimed_at timestamptz not null,
  primary key (tenant_id, ei_record_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
create index identity_claim_entity on platform.identity_claim (tenant_id, entity_id, ei_record_id);
create index identity_claim_email on platform.identity_claim (tenant_id, email) where email is not null;
create index identity_claim_phone on platform.identity_claim (tenant_id, phone) where phone is not null;
call platform.protect('platform.identity_claim');

insert into platform.identity_claim (tenant_id, ei_record_id, entity_id, email, phone, claimed_at)
select l.tenant_id, l.ei_record_id, l.entity_id, min(k.value) filter (where k.kind = 'email'), min(k.value) filter (where k.kind = 'phone'), l.linked_at
from platform.identity_link l
  join platform.user_contact k on k.tenant_id = l.tenant_id and k.tenant_user_id = l.tenant_user_id and k.kind = l.matched_by
group by l.tenant_id, l.ei_record_id, l.entity_id, l.linked_at;
drop table platform.identity_link;

-- A contact belongs to one user of a tenant, so a claim matches one at most: by the e-mail first.
create view platform.identity_link with (security_invoker = true) as
select c.tenant_id, c.entity_id, c.ei_record_id, coalesce(e.tenant_user_id, p.tenant_user_id) as tenant_user_id,
  case when e.tenant_user_id is not null then 'email' else 'phone' end as matched_by,
  greatest(c.claimed_at, coalesce(e.added_at, p.added_at)) as linked_at
from platform.identity_claim c
  left join platform.user_contact e on e.tenant_id = c.tenant_id and e.kind = 'email' and e.value = c.email
  left join platform.user_contact p on p.tenant_id = c.tenant_id and p.kind = 'phone' and p.value = c.phone
where e.tenant_user_id is not null or p.tenant_user_id is not null;
grant select on platform.identity_link to fieldloop_app;
