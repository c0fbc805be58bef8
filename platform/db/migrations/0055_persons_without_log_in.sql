-- A log-in name with an @ was taken from its person, and no address counted as proved: whoever was left with neither has a password, and nothing to sign in
-- with. Nobody has taken such a membership, so that it can be invited to.

update platform.tenant_user u set accepted_date = null
from platform.app_user p where p.user_id = u.user_id and p.user_name is null and u.accepted_date is not null
  and not exists (select from platform.person_email e where e.user_id = p.user_id);
update platform.app_user p set password_hash = null
where p.user_name is null and p.password_hash is not null and not exists (select from platform.person_email e where e.user_id = p.user_id);
