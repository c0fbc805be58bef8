-- A limit of messages counts what a tenant sent within 24 hours; at the limit with every message.
create index message_sent on platform.message (tenant_id, at) where direction = 'outbound';
