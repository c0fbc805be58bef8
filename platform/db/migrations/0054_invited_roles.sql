-- An invitation lets somebody take a user who holds no more than whoever sent it held: a raise of the user's roles since then voids it.
-- Of those that are under way the roles count that their users have now.

alter table platform.person_link add column role_flag int;
update platform.person_link l set role_flag = u.role_flag
from platform.tenant_user u where l.kind = 'invitation' and u.tenant_id = l.tenant_id and u.tenant_user_id = l.tenant_user_id;
alter table platform.person_link add check ((kind = 'invitation') = (role_flag is not null));
