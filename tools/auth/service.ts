/** API keys for the other domains: provisioning makes an installation's first one. */
import { hashApiKey, newApiKey } from '#platform/api-keys.ts'
import type { Tx } from '#platform/db/pool.ts'
import { addMember } from '#tools/users/service.ts'

import { needlessWarning } from './auth.rules.ts'
import type { ValidHours } from './auth.schema.ts'
import { type ApiKeyRow, insertApiKey } from './auth.store.ts'

export { describeLink, type DescribedLink } from './account/described-link.ts'
export { profileOfMember } from './account/profile.ts'
export { tellOfEndingKeys } from './key-warnings.ts'
export { deletePersons, listEmptyPersons } from './empty-persons.store.ts'

export { makeRecoveryLink } from './account/recovery.ts'
export { carryOutFactorResets, tellOfFactorReset } from './account/reset-factors.ts'
export { sendAskedReset } from './account/asked-reset.ts'
export { findPolicy as findSignInPolicy, savePolicy as saveSignInPolicy } from './policy/policy.store.ts'
export { knownSeconds, knownWith } from './sign-in/known-browsers.rules.ts'
export {
  adoptSession,
  findNamedTenant,
  memberByPassword,
  type PortalMember,
  provePerson,
  type ProvedPerson,
  renewCookie,
  tenantsOfSignIn,
} from './sign-in/portal.ts'
export { factorOfOneselfFirst, findProviderIssues, isSameIssuer, onlyByProvider, scopesOf } from './provider/provider.rules.ts'
export {
  deleteProvider,
  endSignInsOfProvider,
  findProvider,
  listAdministratorEmails,
  type ProviderRow,
  saveProvider,
} from './provider/provider.store.ts'
export { boundTo as sealOfProvider } from './provider/providers.ts'
export {
  callbackUrl,
  leaveForProvider,
  linkWaiting,
  type NamedProvider,
  providerAwayAt,
  providerOf,
  type Return as ProviderReturn,
  returnFromProvider,
  waitingAccount,
} from './provider/signing-in.ts'
export { memorySeconds } from './provider/memory.ts'
export { createServing, type Serving, type Told } from './grants/serving.ts'
export { hostsOfSecrets, openSecrets } from './secrets/secrets.ts'

export interface KeyRequest {
  readonly name: string
  readonly roleFlag: number
  /** Whom it acts as; absent: a service user of its own, with the key's name and roles. */
  readonly tenantUserId?: number | undefined
  /** The secret, where it was chosen outside; absent: a new one. */
  readonly secret?: string | undefined
  readonly expiresAt?: string | null | undefined
  readonly allowedAddresses?: readonly string[] | undefined
  readonly validHours?: ValidHours | null | undefined
  /** Who of the tenant makes it, and is told before it ends. */
  readonly madeBy?: number | undefined
  /** The transaction's stamp. */
  readonly at: string
}

const prefixLength = 'flk_'.length + 8
const ofChosen = 4

/** What is shown of a key ever after. Of a chosen secret, which may be short, less. */
export function prefixOf(secret: string): string {
  return secret.slice(0, secret.startsWith('flk_') ? prefixLength : ofChosen)
}

/** Makes a key in the tenant that the transaction is in, and answers its secret, which is kept nowhere. The caller pokes nothing: it is new. */
export async function makeKey(tx: Tx, tenantId: number, request: KeyRequest): Promise<{ row: ApiKeyRow; secret: string }> {
  const { name, roleFlag, at } = request
  const secret = request.secret ?? newApiKey()
  const tenantUserId =
    request.tenantUserId ??
    (await addMember(tx, tenantId, { userName: `key-${crypto.randomUUID()}`, displayName: name, roleFlag, isService: true, at }))
      .tenantUserId
  const row = await insertApiKey(tx, tenantId, {
    name,
    roleFlag,
    tenantUserId,
    isUserBound: request.tenantUserId !== undefined,
    hash: hashApiKey(secret),
    prefix: prefixOf(secret),
    expiresAt: request.expiresAt ?? null,
    allowedAddresses: request.allowedAddresses ?? [],
    validHours: request.validHours ?? null,
    madeBy: request.madeBy ?? null,
    toldDays: needlessWarning(request.expiresAt ?? null, at),
    at,
  })
  return { row, secret }
}
