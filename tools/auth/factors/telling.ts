/** Word to a person that their second factors changed: in the words of the tenant where the person has one alone, else as shipped. */
import type { Tx } from '#platform/db/pool.ts'
import { mailsTopic, queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { mailOf, renderMail, shippedText } from '#tools/mails/service.ts'
import { findOnlyTenant } from '#tools/users/service.ts'

import { findAccount } from '../account/account.store.ts'
import { changeText, type FactorChange } from './telling.rules.ts'

/** To all addresses that the person proved, with the change, in its transaction. */
export async function tellOfFactor(tx: Tx, services: Services, userId: number, change: FactorChange): Promise<void> {
  const emails = (await findAccount(tx, userId))?.emails ?? []
  if (emails.length === 0) return
  const own = await findOnlyTenant(tx, userId)
  const languageCode = own?.languageCode ?? 'en-US'
  const values = { recipient: own?.displayName ?? '', text: changeText(change, languageCode) }
  const worded = own && (await mailOf(tx, own.tenantId, 'secondFactor', { languageCode, values, mustSay: 'text' }))
  const mail = worded ?? renderMail(shippedText('secondFactor', languageCode), values)
  for (const to of emails) await queueMail(tx, services, { kind: 'mail', to, ...mail })
  services.wake.poke(mailsTopic)
}
