-- Changes of the e-mails that a person signs in with, and their undoing.

alter table platform.person_link
  drop constraint person_link_kind_check,
  add check (kind in ('invitation', 'reset', 'emailChange', 'emailUndo')),
  -- Of a change: the address that goes; null: none does.
  add column replaces text,
  -- Of an undoing: the addresses as they stood before the change.
  add column emails text[];
-- An undoing outlives the next change: else whoever changed an address would change it twice.
drop index platform.person_link_kind;
create unique index person_link_kind on platform.person_link (user_id, kind) where kind <> 'emailUndo';
