/** Addresses as vendors and people write them, in the one form that they are kept and compared in. */
import { normalizeEmail, normalizePhone } from '#tools/users/service.ts'

import type { VendorChannel } from '../channels/channels.schema.ts'

/** E.164, or undefined for what is no phone number with its country. */
export function asPhone(given: string): string | undefined {
  const phone = normalizePhone(given)
  return phone.isOk ? phone.value : undefined
}

/** Lower case, without a display name; undefined for what is no e-mail address. */
export function asEmail(given: string): string | undefined {
  const email = normalizeEmail(/<([^<>]+)>\s*$/.exec(given)?.[1] ?? given)
  return email.isOk ? email.value : undefined
}

const matching = (pattern: RegExp) => (given: string) => (pattern.test(given.trim()) ? given.trim() : undefined)

const kinds: Readonly<Record<VendorChannel, { readonly read: (given: string) => string | undefined; readonly noun: string }>> = {
  sms: { read: asPhone, noun: 'a phone number with its country, such as +34600123456' },
  whatsapp: { read: asPhone, noun: 'a phone number with its country, such as +34600123456' },
  email: { read: asEmail, noun: 'an e-mail address' },
  telegram: { read: matching(/^\d{1,16}$/), noun: 'the number of a private chat, such as 812345678' },
  slack: { read: matching(/^[UW][A-Z0-9]{2,30}$/), noun: 'the id of a member, such as U024BE7LH' },
  teams: { read: matching(/^[\w:.@-]{3,200}$/), noun: 'the id of an account, as list_conversations shows it' },
  webPush: { read: matching(/^user-\d{1,10}$/), noun: 'user- and a tenantUserId, such as user-12' },
}

/** An address of a channel in the form that it is kept in; undefined for what is none there. */
export function asAddress(channel: VendorChannel, given: string): string | undefined {
  return kinds[channel].read(given)
}

/** What an address of such a channel is, for whoever gave another. */
export function addressNoun(channel: VendorChannel): string {
  return kinds[channel].noun
}

/** All browsers of a user have one address. */
export const browsersOf = (tenantUserId: number) => `user-${tenantUserId}`
