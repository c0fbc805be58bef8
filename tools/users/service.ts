/** Users for the other domains: members of a tenant, service users of keys, the rule that nobody grants what they lack, and normal forms. */
import type { Tx } from '#platform/db/pool.ts'
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'

import { findLanguage, findTimeZone, whyNotActedAs, whyNotChanged, whyNotGranted } from './users.rules.ts'
import type { Contact } from './users.schema.ts'
import {
  findDisplayNames,
  findFreeName,
  findUser,
  findUserByAddress,
  insertContact,
  insertMember,
  insertPerson,
  listLanguageRows,
  listUserPlaces,
  readHeldRoles,
  setFirstLogIn,
  updateDisplayName,
  updateLanguage,
  updateServiceUser,
  updateTimeZone,
  type UserRow,
} from './users.store.ts'

export { findOnlyTenant, findPersonLink, type PersonLink, takeMembership, usePersonLink, verifyContact } from './links/links.store.ts'
export { dropFactorReset, isObjection, takeDueFactorReset } from './links/factor-reset.store.ts'
export { linkUrl, makeResetLink, newLinkToken, sendReset, welcome } from './links/person-links.ts'
export { findTimeZone, sendLimits } from './users.rules.ts'
export { normalizeEmail, normalizePhone } from './contact-values.ts'

export interface MemberRequest {
  readonly userName: string
  /** Made of the e-mail or phone, since nobody asked for a name: where it is taken, it gets a number. */
  readonly isNameDerived?: boolean
  readonly displayName: string
  /** In its normal form. */
  readonly email?: string | undefined
  /** In its normal form. */
  readonly phone?: string | undefined
  /** Absent: the tenant's. */
  readonly languageRegionId?: number | undefined
  readonly timeZoneIana?: string | undefined
  readonly roleFlag: number
  /** Made for an API key; lists leave it out. */
  readonly isService?: boolean
  /** The transaction's stamp. */
  readonly at: string
}

/**
 * Makes a membership in the tenant that the transaction is in, with a person of its own who cannot sign in: an address that somebody wrote down leads to
 * nobody. Throws AppError `already_exists` where a user of the tenant has the name that was asked for, or a contact.
 */
export async function addMember(tx: Tx, tenantId: number, request: MemberRequest): Promise<UserRow> {
  const { email, phone } = request
  const tenantUserId = await insertMember(tx, tenantId, {
    userId: await insertPerson(tx),
    userName: request.isNameDerived === true ? await findFreeName(tx, tenantId, request.userName) : request.userName,
    displayName: request.displayName,
    languageRegionId: request.languageRegionId ?? null,
    timeZoneIana: request.timeZoneIana ?? 'UTC',
    roleFlag: request.roleFlag,
    isService: request.isService === true,
    at: request.at,
  }).catch((error: unknown) => Promise.reject(nameTaken(error)))
  if (email !== undefined) await addContact(tx, tenantId, tenantUserId, { kind: 'email', value: email })
  if (phone !== undefined) await addContact(tx, tenantId, tenantUserId, { kind: 'phone', value: phone })
  const row = await findUser(tx, tenantId, tenantUserId)
  if (!row) throw new Error('A new member is not to be found')
  return row
}

/** What a database error of a name means; any other one as it is. */
export function nameTaken(error: unknown): unknown {
  if (constraintOf(error) !== 'tenant_user_name') return error
  return new AppError('already_exists', 'A user of this tenant has that user name. Choose another one.', { cause: error })
}

/** Throws AppError `already_exists`. The value is in its normal form. */
export async function addContact(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  contact: { kind: Contact['kind']; value: string },
): Promise<Contact> {
  const added = await insertContact(tx, tenantId, tenantUserId, contact)
  if (added) return added
  throw new AppError(
    'already_exists',
    contact.kind === 'email'
      ? 'A user of this tenant has this e-mail already, and a contact belongs to one user. find_or_create_user answers who it is.'
      : 'This phone is a contact of a user already. A contact belongs to one user, so that a reply tells who it is from.',
  )
}

/** Renames a service user and gives it other roles, as its key has them. */
export async function keepServiceUser(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  key: { name: string; roleFlag: number },
): Promise<void> {
  await updateServiceUser(tx, tenantId, tenantUserId, key)
}

export interface OwnSettings {
  readonly displayName?: string | undefined
  readonly languageCode?: string | undefined
  readonly timeZoneIana?: string | undefined
}

/** What a person says of themselves in a tenant. Throws AppError `invalid_input` with every issue. */
export async function saveOwnSettings(tx: Tx, tenantId: number, tenantUserId: number, settings: OwnSettings): Promise<void> {
  const { displayName, languageCode, timeZoneIana } = settings
  const language =
    languageCode === undefined ? undefined : findLanguage(languageCode, await listLanguageRows(tx, tenantId), '$.languageCode')
  const zone = timeZoneIana === undefined ? undefined : findTimeZone(timeZoneIana, '$.timeZoneIana')
  const issues = [language, zone].flatMap((found) => (found?.isOk === false ? [found.issue] : []))
  if (issues.length > 0) throw new AppError('invalid_input', `The profile cannot be saved: ${issues[0]?.message ?? ''}`, { issues })
  if (displayName !== undefined) await updateDisplayName(tx, tenantId, tenantUserId, displayName)
  if (language?.isOk) await updateLanguage(tx, tenantId, tenantUserId, language.value.languageRegionId)
  if (zone?.isOk) await updateTimeZone(tx, tenantId, tenantUserId, zone.value)
}

/** Throws AppError `forbidden` where a caller would give a role that it lacks. */
export function refuseGrant(held: number, wanted: number): void {
  const why = whyNotGranted(held, wanted)
  if (why) throw new AppError('forbidden', why)
}

/** Throws AppError `forbidden` where the target, a user or a key by name, holds a role that the caller lacks. */
export function refuseChange(held: number, target: number, what: string): void {
  const why = whyNotChanged(held, target, what)
  if (why) throw new AppError('forbidden', why)
}

/** Throws AppError `forbidden` where a caller would get a key that acts as a user who holds a role that it lacks. */
export function refuseActingAs(held: number, user: UserRow): void {
  const why = whyNotActedAs(held, user.roleFlag)
  if (why) throw new AppError('forbidden', why)
}

export { toUser } from './users.store.ts'
export { findDisplayNames, findUser, findUserByAddress, listUserPlaces, readHeldRoles, setFirstLogIn, type UserRow }
