/** What becomes of a link that changes the addresses of a person, or undoes that. In the look-up role's transaction, or nothing. */
import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'
import { linkUrl, newLinkToken } from '#tools/users/service.ts'

import { lockPerson } from '../factors/factors.store.ts'
import { mostEmails } from './account.rules.ts'
import { deleteEmail, type EmailLink, findAccount, insertEmailLink, listKeysOfPerson, proveEmail, restoreEmails } from './account.store.ts'
import { keysText, tellPerson } from './notices.ts'

const undoHours = 7 * 24

/** The addresses as they stand now. Throws AppError `conflict` where the new one signs in somebody else. */
export async function applyEmailLink(tx: Tx, services: Services, link: EmailLink): Promise<readonly string[]> {
  return link.kind === 'emailChange' ? change(tx, services, link) : undo(tx, services, link)
}

async function change(tx: Tx, services: Services, { userId, email, replaces }: EmailLink): Promise<readonly string[]> {
  // Of two that are added at once the second sees the first.
  await lockPerson(tx, userId)
  const before = (await findAccount(tx, userId))?.emails ?? []
  if (before.length - Number(replaces !== null && before.includes(replaces)) >= mostEmails)
    throw new AppError('conflict', `A person has at most ${mostEmails} e-mails. Ask for a change that replaces one.`)
  if (email === null || !(await proveEmail(tx, userId, email)))
    throw new AppError('conflict', 'This e-mail signs in somebody else already. Ask for a change to another one.')
  if (replaces !== null) await deleteEmail(tx, userId, replaces)
  if (before.length > 0) await tellOld(tx, services, { userId, email, before })
  return (await findAccount(tx, userId))?.emails ?? []
}

async function tellOld(
  tx: Tx,
  services: Services,
  { userId, email, before }: { readonly userId: number; readonly email: string; readonly before: readonly string[] },
): Promise<void> {
  const token = newLinkToken()
  await insertEmailLink(tx, {
    kind: 'emailUndo',
    userId,
    email,
    replaces: null,
    emails: [...before],
    hash: hashToken(token),
    hours: undoHours,
  })
  const text = `${email} signs you in now. If it was not you, open this link within 7 days: it puts your addresses back and ends all sessions.\n\n${linkUrl(services.config, token)}`
  for (const to of before) await queueMail(tx, services, { kind: 'mail', to, subject: 'Your e-mail was changed', text })
}

async function undo(tx: Tx, services: Services, { linkId, userId, emails }: EmailLink): Promise<readonly string[]> {
  await restoreEmails(tx, userId, emails ?? [], linkId)
  const keys = await listKeysOfPerson(tx, userId)
  await tellPerson(tx, services, userId, {
    subject: 'Your e-mail was put back',
    text: `Your addresses are those from before the change, and all your sessions have ended. Set a new password now.${keysText(keys)}`,
  })
  return (await findAccount(tx, userId))?.emails ?? []
}
