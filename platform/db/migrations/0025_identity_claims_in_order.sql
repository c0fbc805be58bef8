-- The records of one user are found by the user's contacts, entity by entity, and no further than as many as count.
drop index platform.identity_claim_email;
drop index platform.identity_claim_phone;
create index identity_claim_email on platform.identity_claim (tenant_id, email, entity_id, ei_record_id) where email is not null;
create index identity_claim_phone on platform.identity_claim (tenant_id, phone, entity_id, ei_record_id) where phone is not null;
