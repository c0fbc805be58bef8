/** The SQL of tenants' own providers, and of whose account there is which user. */
import type { Tx } from '#platform/db/pool.ts'
import { roleBits } from '#platform/roles.ts'

import type { ProviderRule } from './provider.rules.ts'

export interface ProviderRow {
  readonly issuer: string
  readonly clientId: string
  readonly sealedSecret: Buffer | null
  readonly scopes: readonly string[]
  readonly isRequired: boolean
  readonly trustsItsSecondFactor: boolean
  readonly roleFlag: number
  readonly setBy: number
  readonly setDate: string
}

/** In the tenant's transaction, or as the look-up role. */
export async function findProvider(tx: Tx, tenantId: number): Promise<ProviderRow | undefined> {
  const [row] = await tx<ProviderRow[]>`
    select issuer, client_id, sealed_secret, scopes, is_required, trusts_second_factor as trusts_its_second_factor, role_flag, set_by, set_date
    from platform.identity_provider where tenant_id = ${tenantId}`
  return row
}

export async function saveProvider(tx: Tx, tenantId: number, row: ProviderRow): Promise<void> {
  await tx`
    insert into platform.identity_provider (tenant_id, issuer, client_id, sealed_secret, scopes, is_required, trusts_second_factor, role_flag, set_by, set_date)
    values (${tenantId}, ${row.issuer}, ${row.clientId}, ${row.sealedSecret}, ${tx.array([...row.scopes])}::text[], ${row.isRequired},
      ${row.trustsItsSecondFactor}, ${row.roleFlag}, ${row.setBy}, ${row.setDate})
    on conflict (tenant_id) do update set issuer = excluded.issuer, client_id = excluded.client_id, sealed_secret = excluded.sealed_secret,
      scopes = excluded.scopes, is_required = excluded.is_required, trusts_second_factor = excluded.trusts_second_factor, role_flag = excluded.role_flag,
      set_by = excluded.set_by, set_date = excluded.set_date`
}

export async function deleteProvider(tx: Tx, tenantId: number): Promise<void> {
  await tx`delete from platform.identity_provider where tenant_id = ${tenantId}`
}

/** What began by another provider than this one: sessions, and sign-ins under way. As the look-up role. */
export async function endSignInsOfProvider(tx: Tx, tenantId: number, kept: string | null): Promise<void> {
  await tx`
    delete from platform.session
    where tenant_id = ${tenantId} and provider_issuer is not null and provider_issuer is distinct from ${kept}::text`
  await tx`delete from platform.sign_in where provider_tenant_id = ${tenantId} and provider_issuer is distinct from ${kept}::text`
}

/** What the tenant's provider means for this person; undefined where there is none, or the person is no user there. As the look-up role, as all that follows. */
export async function findProviderRule(tx: Tx, userId: number, tenantId: number): Promise<ProviderRule | undefined> {
  const [row] = await tx<ProviderRule[]>`
    select i.issuer, i.is_required, i.trusts_second_factor as trusts_its_second_factor, u.role_flag & ${roleBits.AdminUser}::int <> 0 as is_admin_user
    from platform.identity_provider i join platform.tenant_user u using (tenant_id)
    where i.tenant_id = ${tenantId} and u.user_id = ${userId}`
  return row
}

/** Whether a person is nobody but a user of this tenant: without a password, an address that signs in, and another membership. */
export async function isOfTenantAlone(tx: Tx, userId: number, tenantId: number): Promise<boolean> {
  const rows = await tx`
    select 1 from platform.app_user p
    where p.user_id = ${userId} and p.password_hash is null
      and not exists (select from platform.person_email e where e.user_id = p.user_id)
      and not exists (select from platform.tenant_user u where u.user_id = p.user_id and u.tenant_id <> ${tenantId})`
  return rows.length > 0
}

export interface OpenTenant {
  readonly tenantId: number
  readonly name: string
  readonly subDomain: string
  readonly sealedKey: Buffer
}

/** A tenant that has a provider and is open. */
export async function findTenantOfProvider(
  tx: Tx,
  by: { readonly tenantId: number } | { readonly subDomain: string },
): Promise<OpenTenant | undefined> {
  const isNamed = 'tenantId' in by ? tx`t.tenant_id = ${by.tenantId}` : tx`lower(t.sub_domain) = ${by.subDomain.toLowerCase()}`
  const [row] = await tx<OpenTenant[]>`
    select t.tenant_id, t.name, lower(t.sub_domain) as sub_domain, t.sealed_key
    from platform.tenant t join platform.identity_provider i using (tenant_id)
    where ${isNamed} and not t.is_deactivated and t.active_start <= now() and t.active_end >= now()`
  return row
}

/** An account there, of whoever the provider says that it is. */
export interface ProviderAccount {
  readonly tenantId: number
  readonly issuer: string
  readonly sub: string
}

interface AccountOwner {
  readonly tenantUserId: number
  readonly userId: number
}

/** Whose account it is; undefined where it is nobody's, or its user is another person by now. */
export async function findOwner(tx: Tx, { tenantId, issuer, sub }: ProviderAccount): Promise<AccountOwner | undefined> {
  const [row] = await tx<AccountOwner[]>`
    select a.tenant_user_id, a.user_id from platform.provider_account a
      join platform.tenant_user u on u.tenant_id = a.tenant_id and u.tenant_user_id = a.tenant_user_id and u.user_id = a.user_id
    where a.tenant_id = ${tenantId} and a.issuer = ${issuer} and a.sub = ${sub}`
  return row
}

/** One account of a user at a provider: a newer one replaces the older. False where the account is somebody else's. */
export async function linkAccount(tx: Tx, account: ProviderAccount, owner: AccountOwner): Promise<boolean> {
  const { tenantId, issuer, sub } = account
  if (await findOwner(tx, account)) return false
  await tx`
    delete from platform.provider_account
    where tenant_id = ${tenantId} and issuer = ${issuer} and (sub = ${sub} or tenant_user_id = ${owner.tenantUserId})`
  const rows = await tx`
    insert into platform.provider_account (tenant_id, issuer, sub, tenant_user_id, user_id, created_date)
    values (${tenantId}, ${issuer}, ${sub}, ${owner.tenantUserId}, ${owner.userId}, date_trunc('milliseconds', now()))
    on conflict do nothing returning sub`
  return rows.length > 0
}

/** The addresses of a tenant's user administrators: those that they proved, else what the tenant wrote down. */
export async function listAdministratorEmails(tx: Tx, tenantId: number): Promise<string[]> {
  const rows = await tx<{ email: string }[]>`
    select distinct coalesce(e.email, c.value) as email
    from platform.tenant_user u
      left join platform.person_email e on e.user_id = u.user_id
      left join platform.user_contact c on c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id and c.kind = 'email' and e.email is null
    where u.tenant_id = ${tenantId} and u.role_flag & ${roleBits.AdminUser}::int <> 0 and not u.is_locked and not u.is_service
      and coalesce(e.email, c.value) is not null
    order by email limit 5000`
  return rows.map(({ email }) => email)
}

/** The membership that a person took in a tenant, where it is open to them. */
export async function findMembership(tx: Tx, userId: number, tenantId: number): Promise<AccountOwner | undefined> {
  const [row] = await tx<AccountOwner[]>`
    select tenant_user_id, user_id from platform.tenant_user
    where user_id = ${userId} and tenant_id = ${tenantId} and accepted_date is not null and not is_locked and not is_service`
  return row
}
