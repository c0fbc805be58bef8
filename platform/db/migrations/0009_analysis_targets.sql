-- Targets of analyses that several files share. What each file brings is kept apart from its latest run, so that a rerun takes nothing away before it
-- has brought something else; what recognition wrote last is kept for the record, so that a person's edit is told from another file's text.

alter table platform.attachment_analysis
  add column text_part text,
  add column labels_part jsonb;
update platform.attachment_analysis set text_part = left(ocr->>'text', 32768), labels_part = labels where state = 'done';
-- A process of the version before may still write them; nothing reads them any more.
alter table platform.attachment_analysis alter column record_version drop not null;

create table platform.analysis_target (
  tenant_id int not null references platform.tenant,
  ei_record_id bigint not null,
  -- Of the attachments; the targets are in the JSON, by their entityPropertyId: {hash, by}. `run`: recognition wrote a value with this hash;
  -- `save`: the value was there when the files came. A target without an entry was empty then.
  entity_property_id int not null,
  targets jsonb not null,
  primary key (tenant_id, ei_record_id, entity_property_id)
);
call platform.protect('platform.analysis_target');
