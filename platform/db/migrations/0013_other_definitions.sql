-- Raised by every change of a definition that shapes no record: names, categories, views, forms. Whoever keeps one of these compares it beside
-- catalog_version, which saves are compiled for and which such a change leaves alone.
alter table platform.tenant add column other_definitions_version bigint not null default 1;
