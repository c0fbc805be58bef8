/** Word to people that an API key ends soon: 14 and 3 days before, each once, by mail. */
import { mailsTopic, queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { renderMail } from '#tools/mails/service.ts'

import { warningOf } from './key-warnings.rules.ts'
import { takeEndingKeys } from './key-warnings.store.ts'

/** Of some keys, in one transaction: what is told and what counts as told are the same, however many processes look. Answers of how many. */
export async function tellOfEndingKeys(services: Services): Promise<number> {
  const { databases, config, wake } = services
  const told = await databases.lookUp(async (tx) => {
    const keys = await takeEndingKeys(tx)
    for (const key of keys) {
      for (const receiver of key.receivers) {
        const { text, values } = warningOf(key, receiver, `${config.portalUrl}/ops/api-keys`)
        await queueMail(tx, services, { kind: 'mail', to: receiver.email, ...renderMail(text, values) })
      }
    }
    return keys.length
  })
  if (told > 0) wake.poke(mailsTopic)
  return told
}
