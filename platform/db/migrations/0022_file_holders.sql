-- Which records hold a file, or held it in an earlier version: who reaches a file is decided by who sees them, without a look at every record there is.
create table platform.file_holder (
  tenant_id int not null,
  asset_key uuid not null,
  entity_id int not null,
  entity_property_id int not null,
  ei_record_id bigint not null,
  primary key (tenant_id, asset_key, ei_record_id, entity_property_id),
  foreign key (tenant_id, entity_id) references platform.entity on delete cascade
);
create index file_holder_entity on platform.file_holder (tenant_id, entity_id);
call platform.protect('platform.file_holder', 'select, insert, delete');

do $$
declare
  held record;
  place text;
begin
  for held in
    select e.tenant_id, e.entity_id, e.entity_property_id, e.column_id, e.is_list
    from platform.entity_property e join platform.property p on p.tenant_id = e.tenant_id and p.property_id = e.property_id
    where p.data_type_id in (7, 8, 12)
  loop
    foreach place in array array[format('t_%s.e_%s', held.tenant_id, held.entity_id), format('t_%s.e_%s_history', held.tenant_id, held.entity_id)] loop
      continue when not exists (
        select from pg_attribute where attrelid = to_regclass(place) and attname = format('c%s', held.column_id) and not attisdropped);
      execute format(
        'insert into platform.file_holder (tenant_id, asset_key, entity_id, entity_property_id, ei_record_id) '
        || 'select distinct %s, file, %s, %s, id from (select %s as file, id from %s) held where file is not null on conflict do nothing',
        held.tenant_id, held.entity_id, held.entity_property_id,
        case when held.is_list then format('unnest(c%s)', held.column_id) else format('c%s', held.column_id) end, place);
    end loop;
  end loop;
end $$;
