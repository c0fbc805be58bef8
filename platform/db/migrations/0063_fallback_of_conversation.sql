-- Whether the same is said again later in a conversation is asked of its fallbacks that are under way.
create index message_fallback_conversation on platform.message_fallback (tenant_id, conversation_id, message_id) where next_look is not null;
