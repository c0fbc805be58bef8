-- The record that a job is about, and the property of it that its result tells of: access rules say who sees them.
alter table platform.job add column entity_id int, add column ei_record_id bigint, add column entity_property_id int;

update platform.job j set entity_id = a.entity_id, ei_record_id = a.ei_record_id, entity_property_id = a.entity_property_id
from platform.attachment_analysis a
where j.kind = 'attachmentAnalysis' and a.tenant_id = j.tenant_id
  and a.ei_record_id = (j.input ->> 'eiRecordId')::bigint and a.entity_property_id = (j.input ->> 'entityPropertyId')::int;
