-- Which process removes a tenant whose time is over, and until when it is believed to be at it.
alter table platform.tenant add column purged_by uuid, add column purged_until timestamptz;
