-- Signed links: a form for one recipient, once, until a time, in the right of whoever made it.

create table platform.signed_link (
  tenant_id int not null references platform.tenant,
  link_id int generated always as identity,
  -- Of the token, which is kept nowhere: a signature over the ids and this.
  salt text not null,
  -- A definition; a link outlives its form, and says so.
  form_id int not null,
  -- The record that is to be changed; null: a new one is made.
  ei_record_id bigint,
  -- The recipient: a user, or an address of nobody's.
  to_user_id int,
  to_address text,
  -- The maker, and the credential that it was made with: what that holds at the submit, the link may.
  made_by int not null,
  maker_kind text not null,
  maker_credential text not null,
  -- Of a run, which has no more than its own roles.
  maker_role_flag int not null,
  -- Assets that were uploaded through it, and may be sent with the answer.
  uploads uuid[] not null default '{}',
  -- Where it was sent.
  message_id bigint,
  created_date timestamptz not null,
  expires_at timestamptz not null,
  revoked_date timestamptz,
  used_date timestamptz,
  -- Of the answer that counted: the same one, sent again, is told what became of it.
  submission_key text,
  result_record_id bigint,
  primary key (tenant_id, link_id),
  unique (link_id),
  check (to_user_id is not null or to_address is not null)
);
create index signed_link_form on platform.signed_link (tenant_id, form_id, link_id);
create index signed_link_record on platform.signed_link (tenant_id, ei_record_id, link_id) where ei_record_id is not null;
create index signed_link_result on platform.signed_link (tenant_id, result_record_id) where result_record_id is not null;
create index signed_link_user on platform.signed_link (tenant_id, to_user_id, link_id) where to_user_id is not null;
create index signed_link_address on platform.signed_link (tenant_id, to_address, link_id) where to_address is not null;
create index signed_link_message on platform.signed_link (tenant_id, message_id) where message_id is not null;
call platform.protect('platform.signed_link');
