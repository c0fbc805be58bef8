/** Word to a person that something of their log-in changed, to all addresses that they proved. */
import type { Tx } from '#platform/db/pool.ts'
import { mailsTopic, queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'

import { findAccount } from './account.store.ts'

export interface Notice {
  readonly subject: string
  readonly text: string
}

/** With the change, in its transaction. */
export async function tellPerson(tx: Tx, services: Services, userId: number, { subject, text }: Notice): Promise<void> {
  const account = await findAccount(tx, userId)
  for (const to of account?.emails ?? []) await queueMail(tx, services, { kind: 'mail', to, subject, text })
}

/** Keys stay where sessions end, so the person is told which there are. */
export function keysText(keys: readonly { readonly name: string; readonly prefix: string; readonly tenant: string }[]): string {
  const named = keys.map(({ name, prefix, tenant }) => `- ${name} (${prefix}…) in ${tenant}`).join('\n')
  return keys.length === 0 ? '' : `\n\nThese keys act as you and still work:\n${named}`
}

const otherwise = 'If it was not you, change your password, end the other sessions, and tell an administrator.'

/** The same of a change that the person made by a session. */
export async function tellOfChange(tx: Tx, services: Services, userId: number, what: string): Promise<void> {
  await tellPerson(tx, services, userId, { subject: 'Your sign-in was changed', text: `${what}\n\n${otherwise}` })
  services.wake.poke(mailsTopic)
}
