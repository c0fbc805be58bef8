/** What becomes of a link that somebody uses: a new password, or a membership that is taken. All of it in the look-up role's transaction, or nothing. */
import type { Tx } from '#platform/db/pool.ts'
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { Services } from '#platform/services.ts'
import { type PersonLink, takeMembership, usePersonLink, verifyContact, welcome } from '#tools/users/service.ts'

import { findResetNameIssue, proposedNames } from './account.rules.ts'
import {
  findAccount,
  findFreeLogInName,
  listKeysOfPerson,
  proveEmail,
  setFirstLogInName,
  setFirstPassword,
  setPasswordAnew,
} from './account.store.ts'
import { keysText, tellPerson } from './notices.ts'

export interface Accepted {
  readonly userId: number
  readonly logInName: string | null
  readonly emails: readonly string[]
}

async function shown(tx: Tx, userId: number): Promise<Accepted> {
  const account = await findAccount(tx, userId)
  return { userId, logInName: account?.userName ?? null, emails: account?.emails ?? [] }
}

const nameTaken = (error: unknown) => {
  if (constraintOf(error) !== 'app_user_name') throw error
  throw new AppError('already_exists', 'This log-in name cannot be had. Choose another one.', { cause: error })
}

/**
 * Undefined where another call used the link first. Throws AppError `invalid_input` for a log-in name that is not the person's, `already_exists` where somebody
 * else has the one that they would take; the link stays good.
 */
export async function resetPassword(
  tx: Tx,
  services: Services,
  link: PersonLink,
  passwordHash: string,
  wanted: string | undefined,
): Promise<Accepted | undefined> {
  if (!(await usePersonLink(tx, link.linkId))) return undefined
  const present = (await findAccount(tx, link.userId))?.userName ?? null
  const issue = findResetNameIssue(wanted, present)
  if (issue) throw new AppError('invalid_input', issue.message, { issues: [issue] })
  if (wanted !== undefined) await setFirstLogInName(tx, link.userId, wanted).catch(nameTaken)
  await setPasswordAnew(tx, link.userId, passwordHash)
  const keys = await listKeysOfPerson(tx, link.userId)
  await tellPerson(tx, services, link.userId, {
    subject: 'Your password was reset',
    text: `A new password was set by a link, and all your sessions have ended.${keysText(keys)}\n\nIf it was not you, ask an administrator to lock your user.`,
  })
  return shown(tx, link.userId)
}

const memberOf = ({ tenantId, tenantUserId, roleFlag }: PersonLink) => ({
  tenantId: tenantId ?? 0,
  tenantUserId: tenantUserId ?? 0,
  roleFlag: roleFlag ?? 0,
})

/** The person that the membership was made with gets a password. Throws AppError `conflict` where the invited address is somebody's, `already_exists` for a name. */
export async function acceptWithPassword(
  tx: Tx,
  services: Services,
  link: PersonLink,
  passwordHash: string,
  wanted: string | undefined,
): Promise<Accepted | undefined> {
  if (!(await usePersonLink(tx, link.linkId)) || !(await takeMembership(tx, memberOf(link), link.userId))) return undefined
  if (link.email !== null) {
    if (!(await proveEmail(tx, link.userId, link.email)))
      throw new AppError('conflict', 'You sign in with this e-mail already. Sign in, and accept the invitation with that session.')
    await verifyContact(tx, memberOf(link), link.email)
  }
  const present = (await findAccount(tx, link.userId))?.userName ?? undefined
  const name = wanted ?? present ?? (await findFreeLogInName(tx, proposedNames(link.label, link.subDomain)))
  if (name === undefined && link.email === null) {
    const message = 'Choose a userName: without one, and without a proved e-mail, nobody could sign in.'
    throw new AppError('invalid_input', message, { issues: [finding('$.userName', message)] })
  }
  await setFirstPassword(tx, link.userId, name ?? null, passwordHash).catch(nameTaken)
  if (link.email !== null) await welcome(tx, services, memberOf(link), link.email)
  return shown(tx, link.userId)
}

/**
 * The membership goes to the person who has signed in, and nothing of their log-in changes: whoever invites may read the invited mailbox, and an address that
 * signs in asks for new passwords. Throws AppError `already_exists` where they are a user of the tenant already.
 */
export async function acceptAs(tx: Tx, services: Services, link: PersonLink, userId: number): Promise<Accepted | undefined> {
  if (!(await usePersonLink(tx, link.linkId))) return undefined
  const isTaken = await takeMembership(tx, memberOf(link), userId).catch((error: unknown) => {
    if (constraintOf(error) !== 'tenant_user_tenant_id_user_id_key') throw error
    throw new AppError('already_exists', 'You are a user of this tenant already.', { cause: error })
  })
  if (!isTaken) return undefined
  const accepted = await shown(tx, userId)
  if (link.email !== null && accepted.emails.includes(link.email)) {
    await verifyContact(tx, memberOf(link), link.email)
    await welcome(tx, services, memberOf(link), link.email)
  }
  return accepted
}
