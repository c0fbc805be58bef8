-- A host may ask for a token with less than it was granted: the bits of its roles. Null: all that the grant has.
alter table platform.oauth_token add column role_flag int;
