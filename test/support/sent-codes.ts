/** Codes that wait to be handed over, read from their sealed mails. */
import { takeMails } from '#platform/person-mail.ts'

import type { World } from './world.ts'

/** The newest that waits. */
export async function sentCode({ platform: { services } }: World): Promise<string> {
  const waiting = await services.databases.lookUp((tx) => takeMails(tx, services.secrets, 1_000))
  const codes = waiting.flatMap(({ mail }) => ('text' in mail ? (/^(\d{6}) is your/.exec(mail.text)?.[1] ?? []) : []))
  return codes.at(-1) ?? 'no code'
}
