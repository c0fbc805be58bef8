-- A process asks for all who wait in it, of whichever tenants, whether something came in unheard.
call platform.allow_lookup('platform.conversation', 'tenant_id, conversation_id, state, last_inbound_seq');
