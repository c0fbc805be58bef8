/** Users for the other domains: members of a tenant, service users of keys, the rule that nobody grants what they lack, and normal forms. */
import type { Tx } from '#platform/db/pool.ts'
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'

import { whyNotChanged, whyNotGranted } from './users.rules.ts'
import type { Contact } from './users.schema.ts'
import {
  ensurePerson,
  findDisplayNames,
  findUser,
  findUserByAddress,
  insertContact,
  insertMember,
  listUserPlaces,
  readHeldRoles,
  setPersonPassword,
  updateServiceUser,
  type UserRow,
} from './users.store.ts'

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
 * Makes a person a member of the tenant that the transaction is in. A person who is known by the e-mail is the same person and keeps their user
 * name. Throws AppError `already_exists` where the name that was asked for, the person or a contact is taken.
 */
export async function addMember(tx: Tx, tenantId: number, request: MemberRequest): Promise<UserRow> {
  const { email, phone } = request
  const person = await ensurePerson(tx, {
    userName: request.userName,
    isNameDerived: request.isNameDerived === true,
    email: email ?? null,
  }).catch((error: unknown) => {
    if (constraintOf(error) === 'app_user_name')
      throw new AppError('already_exists', 'The user name is taken. Choose another one.', { cause: error })
    throw error
  })
  const tenantUserId = await insertMember(tx, tenantId, {
    ...person,
    displayName: request.displayName,
    email: email ?? null,
    languageRegionId: request.languageRegionId ?? null,
    timeZoneIana: request.timeZoneIana ?? 'UTC',
    roleFlag: request.roleFlag,
    isService: request.isService === true,
    at: request.at,
  })
  if (tenantUserId === undefined)
    throw new AppError('already_exists', 'A user with this e-mail exists already. find_or_create_user answers it.')
  if (email !== undefined) await addContact(tx, tenantId, tenantUserId, { kind: 'email', value: email })
  if (phone !== undefined) await addContact(tx, tenantId, tenantUserId, { kind: 'phone', value: phone })
  const row = await findUser(tx, tenantId, tenantUserId)
  if (!row) throw new Error('A new member is not to be found')
  return row
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
  const what = contact.kind === 'email' ? 'This e-mail' : 'This phone'
  throw new AppError(
    'already_exists',
    `${what} is a contact of a user already. A contact belongs to one user, so that a reply tells who it is from.`,
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

/** Sets what a member signs in with. `passwordHash` comes from platform/passwords.ts. */
export async function setPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await setPersonPassword(tx, userId, passwordHash)
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

export { findDisplayNames, findUser, findUserByAddress, listUserPlaces, readHeldRoles, type UserRow }
