import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { discoverProvider } from '#platform/open-id.ts'
import { defineStagedOperation, type StagedContext, type TxContext, writes } from '#platform/operation.ts'
import { mailsTopic, queueMail } from '#platform/person-mail.ts'
import { tenantAdminRoles } from '#platform/roles.ts'
import { exampleIdentityProvider, identityProvider, providerInput, type ProviderInput } from '#tools/auth/provider/provider.schema.ts'
import {
  deleteProvider,
  endSignInsOfProvider,
  findProvider,
  findProviderIssues,
  isSameIssuer,
  listAdministratorEmails,
  type ProviderRow,
  saveProvider,
  scopesOf,
  sealOfProvider,
} from '#tools/auth/service.ts'

import { inNamedTenant } from './named-tenant.ts'
import { shownProvider } from './shown-provider.ts'
import { tenantId } from './tenants.schema.ts'
import { findTenant } from './tenants.store.ts'

export const setIdentityProvider = defineStagedOperation({
  ...writes(identityProvider),
  errors: ['not_found', 'unprocessable'],
  isIdempotent: true,
  name: 'set_identity_provider',
  title: 'Set the identity provider',
  description:
    'Lets people sign in to a tenant by its own OpenID Connect provider; issuer null removes it. Its discovery is tried first. Whoever comes by it gets no role that the caller lacks, and all AdminUsers are mailed. Register the callbackUrl of get_identity_provider there.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}/identity-provider',
  roles: 'GlobalAdmin|AdminUser',
  input: z.object({ tenantId, ...providerInput }),
  examples: [
    {
      title: 'Ours',
      input: { tenantId: 3, issuer: 'https://login.northwind.example', clientId: 'fieldloop', clientSecret: 'what it gave us' },
      output: exampleIdentityProvider,
    },
    {
      title: 'None any more',
      input: { tenantId: 3, issuer: null },
      output: {
        ...exampleIdentityProvider,
        issuer: null,
        clientId: null,
        hasClientSecret: false,
        scopes: [],
        setBy: null,
        setDate: null,
      },
    },
  ],
  async stagedHandler(context, { tenantId: wanted, ...input }) {
    const issues = findProviderIssues(input)
    if (issues.length > 0) throw new AppError('invalid_input', `The provider cannot be set: ${issues[0]?.message ?? ''}`, { issues })
    const issuer = await findIssuer(context, wanted, input)
    const { before, row, name } = await context.inTransaction((inner) =>
      inNamedTenant(inner, wanted, () => save(inner, wanted, issuer, input)),
    )
    context.audit({ before: told(before), after: told(row), hasNewSecret: typeof input.clientSecret === 'string' })
    // For good: what is hidden only would be back once the same issuer is set again.
    await context.services.databases.lookUp((tx) => endSignInsOfProvider(tx, wanted, row?.issuer ?? null), String(wanted))
    context.services.wake.poke(credentialsTopic)
    await tellAdministrators(context, wanted, name, row)
    return shownProvider(context.services, wanted, row)
  },
})

const told = (row: ProviderRow | undefined) =>
  row ? { issuer: row.issuer, clientId: row.clientId, isRequired: row.isRequired, trustsItsSecondFactor: row.trustsItsSecondFactor } : null

/** As the provider names itself, which is asked before anything is kept; undefined: none is wanted. */
async function findIssuer(context: StagedContext, wanted: number, input: ProviderInput): Promise<string | undefined> {
  const { config } = context.services
  const secret = await context.inTransaction((inner) => inNamedTenant(inner, wanted, () => secretOf(inner, wanted, input)), {
    readOnly: true,
  })
  if (input.issuer === null || input.clientId === undefined) return undefined
  return (await discoverProvider(config, { issuer: input.issuer, clientId: input.clientId, clientSecret: secret })).issuer
}

/** The one that is given, or the present one where it would go to whom it was given for. */
async function secretOf({ tx, services }: TxContext, wanted: number, input: ProviderInput): Promise<string | undefined> {
  if (input.issuer === null || input.clientSecret === null) return undefined
  if (input.clientSecret !== undefined) return input.clientSecret
  const present = await findProvider(tx, wanted)
  if (!present?.sealedSecret || !isSameIssuer(present.issuer, input.issuer) || present.clientId !== input.clientId) return undefined
  const sealedKey = mustExist(await findTenantKey(tx, wanted), 'tenant')
  return services.secrets.unsealText({ tenantId: wanted, sealedKey }, sealOfProvider(wanted), present.sealedSecret)
}

interface Saved {
  readonly before: ProviderRow | undefined
  readonly row: ProviderRow | undefined
  /** Of the tenant. */
  readonly name: string
}

async function save(context: TxContext, wanted: number, issuer: string | undefined, input: ProviderInput): Promise<Saved> {
  const { tx, services, actor, stamp } = context
  const before = await findProvider(tx, wanted)
  const { name } = mustExist(await findTenant(tx, wanted), 'tenant')
  context.afterCommit(() => services.wake.poke(credentialsTopic))
  if (issuer === undefined) {
    await deleteProvider(tx, wanted)
    return { before, row: undefined, name }
  }
  const secret = await secretOf(context, wanted, input)
  const sealedKey = mustExist(await findTenantKey(tx, wanted), 'tenant')
  const row: ProviderRow = {
    issuer,
    clientId: input.clientId ?? '',
    sealedSecret: secret === undefined ? null : services.secrets.sealText({ tenantId: wanted, sealedKey }, sealOfProvider(wanted), secret),
    scopes: scopesOf(input.scopes),
    isRequired: input.isRequired ?? false,
    trustsItsSecondFactor: input.trustsItsSecondFactor ?? false,
    roleFlag: actor.roleFlag & tenantAdminRoles,
    setBy: actor.tenantUserId,
    setDate: stamp,
  }
  await saveProvider(tx, wanted, row)
  return { before, row, name }
}

/** Whoever sets a provider decides who is whom there, so all who administer users hear of it. */
async function tellAdministrators(
  { services, actor }: StagedContext,
  wanted: number,
  name: string,
  row: ProviderRow | undefined,
): Promise<void> {
  const what = row
    ? `People sign in to ${name} by ${row.issuer} from now on.${row.isRequired ? ' Passwords are taken from AdminUsers with a second factor alone.' : ''}`
    : `${name} has no identity provider of its own any more. Sessions that began by it have ended.`
  const text = `${what}\n\nIt was set by ${actor.displayName}. If that was not meant, remove it with set_identity_provider, and look at list_audit_events.`
  await services.databases.lookUp(async (tx) => {
    for (const to of await listAdministratorEmails(tx, wanted))
      await queueMail(tx, services, { kind: 'mail', to, subject: `The identity provider of ${name} was changed`, text })
  }, String(wanted))
  services.wake.poke(mailsTopic)
}
