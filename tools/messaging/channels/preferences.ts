/** What a person prefers and refused, as both operations on it answer. */
import type { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'

import type { changedNotifications, contactPreferences, Notifications, VendorChannel } from './channels.schema.ts'
import { listOptOuts } from './channels.store.ts'
import { isTimeZone } from '../delivery/quiet-hours.rules.ts'
import { findPerson, type Person, savePreferences } from '../conversations/recipients.store.ts'

/** The channels of a person's addresses, with the address on each. */
export function addressesOf(person: Person): { channel: VendorChannel; address: string }[] {
  return [
    ...person.phones.flatMap((address) => (['sms', 'whatsapp'] as const).map((channel) => ({ channel, address }))),
    ...person.emails.map((address) => ({ channel: 'email' as const, address })),
    ...new Map(person.linked.map(({ channel, address }) => [`${channel}/${address}`, { channel, address }])).values(),
  ]
}

type Where = Pick<TxContext, 'tx' | 'tenantId'>

/** What is not named stays. `path` is where it stands in the input. Throws AppError `invalid_input` for a zone that there is none of. */
export async function changeNotifications(
  { tx, tenantId }: Where,
  tenantUserId: number,
  { channelOrder, quietHours, allowsUrgent }: z.output<typeof changedNotifications>,
  path: string,
): Promise<void> {
  if (quietHours && !isTimeZone(quietHours.timeZoneIana)) {
    const message = 'There is no such time zone. Use a name of the IANA database, such as Europe/Madrid.'
    throw new AppError('invalid_input', message, { issues: [finding(`${path}.quietHours.timeZoneIana`, message)] })
  }
  await savePreferences(tx, tenantId, tenantUserId, {
    ...(channelOrder && { channelOrder: [...new Set(channelOrder)] }),
    ...(quietHours !== undefined && { quietHours }),
    ...(allowsUrgent !== undefined && { allowsUrgent }),
  })
}

/** Throws AppError `not_found`. */
export async function readNotifications({ tx, tenantId }: Where, tenantUserId: number): Promise<Notifications> {
  const { channelOrder, quietHours, allowsUrgent } = mustExist(await findPerson(tx, tenantId, tenantUserId), 'user')
  return { channelOrder: [...channelOrder], quietHours, allowsUrgent }
}

/** Throws AppError `not_found`. */
export async function readPreferences({ tx, tenantId }: TxContext, tenantUserId: number): Promise<z.output<typeof contactPreferences>> {
  const person = mustExist(await findPerson(tx, tenantId, tenantUserId), 'user')
  const all = addressesOf(person)
  const refused = await listOptOuts(
    tx,
    tenantId,
    all.map(({ address }) => address),
  )
  const { channelOrder, quietHours, allowsUrgent } = person
  const addresses = all.map((one) => {
    const word = refused.find((row) => row.channel === one.channel && row.address === one.address)
    return word?.isOut ? { ...one, isOptedOut: true, optedOutDate: word.at, source: word.source } : { ...one, isOptedOut: false }
  })
  return { tenantUserId, channelOrder: [...channelOrder], quietHours, allowsUrgent, addresses }
}
