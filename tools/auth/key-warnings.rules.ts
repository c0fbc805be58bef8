/** What people are told of a key that ends soon, in their language and zone. */
import type { MailText, MailValues } from '#tools/mails/mails.schema.ts'

import type { EndingKey, Receiver } from './key-warnings.store.ts'

const english: MailText = {
  subject: 'The API key [[name]] ends on [[day]]',
  body: `Hello [[recipient]],

the API key [[name]] ([[prefix]]…) of [[tenant]] ends on [[time]]. From then on whatever uses it is refused.

If it is still needed, give it a later end:

[button: Show the keys]([[link]])`,
}

const german: MailText = {
  subject: 'Der API-Schlüssel [[name]] endet am [[day]]',
  body: `Hallo [[recipient]],

der API-Schlüssel [[name]] ([[prefix]]…) von [[tenant]] endet am [[time]]. Danach wird abgewiesen, was ihn benutzt.

Wird er noch gebraucht, geben Sie ihm ein späteres Ende:

[button: Schlüssel zeigen]([[link]])`,
}

/** The words, and what they are filled with. */
export function warningOf(
  key: Pick<EndingKey, 'name' | 'prefix' | 'expiresAt' | 'tenantName'>,
  { displayName, languageCode, timeZoneIana: timeZone }: Receiver,
  link: string,
): { readonly text: MailText; readonly values: MailValues } {
  const locale = /^(?:de|en)-/.test(languageCode) ? languageCode : 'en-US'
  const show = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(Date.parse(key.expiresAt))
  return {
    text: locale.startsWith('de') ? german : english,
    values: {
      name: key.name,
      prefix: key.prefix,
      tenant: key.tenantName,
      recipient: displayName,
      day: show({ dateStyle: 'long' }),
      time: `${show({ dateStyle: 'long', timeStyle: 'short' })} (${timeZone})`,
      link,
    },
  }
}
