-- A tenant's icons beside its logo, and its look for pages that people see before they sign in.

alter table platform.tenant add column favicon_key uuid, add column apple_icon_key uuid, add column android_icon_key uuid;
grant select (theme, logo_key, favicon_key, apple_icon_key, android_icon_key) on platform.tenant to fieldloop_lookup;
