/** What a change of second factors is called in the word to its person. */
import type { Factor } from './factors.schema.ts'

export type FactorChange =
  | { readonly kind: 'added'; readonly channel: Factor['channel']; readonly name: string }
  | { readonly kind: 'removed'; readonly name: string }
  | { readonly kind: 'codes' }

const english = {
  channels: { totp: 'An authenticator app', passkey: 'A passkey', email: 'An address for codes', sms: 'A phone for codes' },
  added: (what: string, name: string) => `${what} was added as second factor: ${name}.`,
  removed: (name: string) => `A second factor was removed: ${name}.`,
  codes: 'New recovery codes were made; the old ones are void.',
}

const german: typeof english = {
  channels: { totp: 'Eine Authenticator-App', passkey: 'Ein Passkey', email: 'Eine Adresse für Codes', sms: 'Ein Telefon für Codes' },
  added: (what, name) => `${what} ist als zweiter Faktor hinzugekommen: ${name}.`,
  removed: (name) => `Ein zweiter Faktor wurde entfernt: ${name}.`,
  codes: 'Neue Wiederherstellungscodes wurden gemacht; die alten gelten nicht mehr.',
}

export function changeText(change: FactorChange, languageCode: string): string {
  const words = languageCode.startsWith('de') ? german : english
  if (change.kind === 'codes') return words.codes
  return change.kind === 'added' ? words.added(words.channels[change.channel], change.name) : words.removed(change.name)
}
