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

/** An address of a channel in the form that it is kept in; undefined for what is none there. */
export function asAddress(channel: VendorChannel, given: string): string | undefined {
  return channel === 'email' ? asEmail(given) : asPhone(given)
}
