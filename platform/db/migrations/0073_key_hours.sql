-- Keys that may be used in certain hours alone, and word to people before a key ends.
alter table platform.api_key
  -- {from, to, days, timeZoneIana}; null: always.
  add column valid_hours jsonb,
  -- Who of the tenant made it; null: somebody else.
  add column made_by int,
  -- How many days before its end people were told last, or need not be told; null: they are still to be told.
  add column told_days smallint;
grant select (valid_hours, name, prefix, made_by, told_days), update (told_days) on platform.api_key to fieldloop_lookup;
grant select (contact_id) on platform.user_contact to fieldloop_lookup;
create index api_key_ending on platform.api_key (expires_at) where revoked_at is null and expires_at is not null;
