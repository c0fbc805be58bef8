-- Who answers for us in a conversation; null: the agent or the workflow that began it.
alter table platform.conversation
  add column assigned_to int,
  add foreign key (tenant_id, assigned_to) references platform.tenant_user;
create index conversation_assigned on platform.conversation (tenant_id, assigned_to, conversation_id) where assigned_to is not null;
