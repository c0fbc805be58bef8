-- A failed message is sent again once: as which message.
alter table platform.message add column resent_as bigint;
