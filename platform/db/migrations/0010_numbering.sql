-- How the server numbers new records in this property: {prefix, digits}; null: it does not.
alter table platform.entity_property add column numbering jsonb;
