/** What a person prefers and refused, as both operations on it answer. */
import type { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import type { contactPreferences, VendorChannel } from './channels.schema.ts'
import { listOptOuts } from './channels.store.ts'
import { findPerson, type Person } from '../conversations/recipients.store.ts'

/** The channels of a person's addresses, with the address on each. */
export function addressesOf(person: Person): { channel: VendorChannel; address: string }[] {
  return [
    ...person.phones.flatMap((address) => (['sms', 'whatsapp'] as const).map((channel) => ({ channel, address }))),
    ...person.emails.map((address) => ({ channel: 'email' as const, address })),
    ...new Map(person.linked.map(({ channel, address }) => [`${channel}/${address}`, { channel, address }])).values(),
  ]
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
