-- Whether a message goes in place of another that did not arrive: asked at each delivery by e-mail, which then goes in the tenant's words.
create index message_fallback_next on platform.message_fallback (tenant_id, next_message_id) where next_message_id is not null;
