-- What one user made for themselves, such as an export of what only they may see: nobody else finds or reads it.
alter table platform.asset add column is_private boolean not null default false;
