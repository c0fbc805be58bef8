-- Messages of the product's own that a tenant may word where they go by e-mail: which mail they are, and what [[title]] is in it.
alter table platform.message add column mail_type text, add column mail_title text;
