-- Who waits for replies in a conversation: the workflow, and the step in it, that each inbound message wakes.
alter table platform.conversation add column awaited_by jsonb;

-- Of a step that asks: whom, in which conversations, and how far their replies are read.
alter table platform.workflow_step_run add column asked jsonb;
