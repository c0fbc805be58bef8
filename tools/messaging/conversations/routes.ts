/** Which way a message goes: to whom, on which channel, at which address. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { findUserOfRecord } from '#tools/entities/service.ts'
import { findUserByAddress } from '#tools/users/service.ts'

import { asEmail, asPhone } from './addresses.ts'
import { type ChannelRow, listChannels, listOptOuts } from '../channels/channels.store.ts'
import { standsIn } from '../channels/standing-in.ts'
import { type ChannelKind, channelKinds, type Recipient } from '../messaging.schema.ts'
import { registersBy } from '../messaging.rules.ts'
import { findPerson, type Person } from './recipients.store.ts'
import { isRecordSeen } from './sight.ts'

export interface Route {
  readonly kind: ChannelKind
  /** Null on the inbox. */
  readonly channel: ChannelRow | null
  readonly tenantUserId: number | null
  readonly address: string | null
}

/** Whom a message is for, before a channel was chosen. */
export interface Target {
  readonly person: Person | undefined
  /** Given as such, not found among a person's contacts. */
  readonly phone: string | undefined
  readonly email: string | undefined
}

function refuse(path: string, message: string, suggestion?: string): AppError {
  return new AppError('invalid_input', message, { issues: [finding(path, message, { suggestion })] })
}

/** Finds the recipient. Throws AppError `invalid_input` where it names nobody, or not exactly one. */
export async function findTarget(context: TxContext, to: Recipient): Promise<Target> {
  const { tx, tenantId } = context
  const given = (['tenantUserId', 'phone', 'email', 'eiRecordId'] as const).filter((key) => to[key] !== undefined)
  if (given.length !== 1) throw refuse('$.to', 'Give exactly one of tenantUserId, phone, email and eiRecordId.')
  const personOf = async (tenantUserId: number | undefined) =>
    tenantUserId === undefined ? undefined : findPerson(tx, tenantId, tenantUserId)
  if (to.phone !== undefined) {
    const phone = asPhone(to.phone)
    if (phone === undefined) throw refuse('$.to.phone', `${quoted(to.phone)} is no phone number with its country, such as +34600123456.`)
    return { person: await personOf(await findUserByAddress(tx, tenantId, phone)), phone, email: undefined }
  }
  if (to.email !== undefined) {
    const email = asEmail(to.email)
    if (email === undefined) throw refuse('$.to.email', `${quoted(to.email)} is no e-mail address.`)
    return { person: await personOf(await findUserByAddress(tx, tenantId, email)), phone: undefined, email }
  }
  if (to.eiRecordId !== undefined) {
    const person = await personOf(await findUserOfRecord(tx, tenantId, to.eiRecordId))
    if (!person || !(await isRecordSeen(context, to.eiRecordId)))
      throw refuse('$.to.eiRecordId', `There is no record ${to.eiRecordId} that is linked to a user.`)
    return { person, phone: undefined, email: undefined }
  }
  const person = await personOf(to.tenantUserId)
  if (!person) throw refuse('$.to.tenantUserId', `There is no user ${to.tenantUserId}.`)
  return { person, phone: undefined, email: undefined }
}

function addressFor(target: Target, { channel, channelId }: ChannelRow): string | undefined {
  const isDirect = target.phone !== undefined || target.email !== undefined
  if (registersBy[channel] !== 'contact') return target.person?.linked.find((one) => one.channelId === channelId)?.address
  if (channel === 'email') return isDirect ? target.email : target.person?.emails[0]
  return isDirect ? target.phone : target.person?.phones[0]
}

function whatIsMissing({ channel, internalName }: ChannelRow): string {
  if (registersBy[channel] !== 'contact')
    return `The recipient has linked nothing to ${internalName}. They do so themselves, by register_channel_address.`
  return `The recipient has no ${channel === 'email' ? 'e-mail address' : 'phone number'} for ${internalName}.`
}

/** What shows messages on a page gives way to what carries them. */
const vendorsFirst = (a: ChannelRow, b: ChannelRow) => Number(standsIn(a)) - Number(standsIn(b))

const isKind = (text: string): text is ChannelKind => channelKinds.some((kind) => kind === text)

/**
 * The way to a recipient: the channel that was asked for (a kind, or a channel's internalName), else the first usable one of the person's
 * preference, else the inbox; a bare number or address goes by sms, whatsapp or email. Throws AppError `invalid_input`, or `conflict` where no
 * such channel is configured.
 */
export async function chooseRoute(context: TxContext, to: Recipient, wanted: string | undefined): Promise<Route> {
  const { tx, tenantId } = context
  const target = await findTarget(context, to)
  const channels = (await listChannels(tx, tenantId)).toSorted(vendorsFirst)
  const tenantUserId = target.person?.tenantUserId ?? null
  const inbox: Route = { kind: 'inbox', channel: null, tenantUserId, address: null }
  const isDirect = target.phone !== undefined || target.email !== undefined
  const through = (channel: ChannelRow): Route | undefined => {
    const address = addressFor(target, channel)
    return address === undefined ? undefined : { kind: channel.channel, channel, tenantUserId, address }
  }

  if (wanted !== undefined) {
    if (wanted === 'inbox') {
      if (isDirect) throw refuse('$.channel', 'The inbox is for users. Name the recipient by tenantUserId.')
      return inbox
    }
    const matching = isKind(wanted)
      ? channels.filter((one) => one.channel === wanted)
      : channels.filter((one) => one.internalName.toLowerCase() === wanted.toLowerCase())
    const [channel] = matching
    if (!channel && isKind(wanted)) throw new AppError('conflict', `No ${wanted} channel is configured. Configure one with create_channel.`)
    if (!channel) {
      const names = [...channelKinds, ...channels.map((one) => one.internalName)]
      throw refuse('$.channel', `There is no channel ${quoted(wanted)}. Allowed: ${names.slice(0, 40).join(', ')}.`, nearest(wanted, names))
    }
    const route = matching.flatMap((one) => through(one) ?? [])[0]
    if (!route) throw refuse('$.to', whatIsMissing(channel))
    return route
  }

  if (isDirect) {
    const order = target.email === undefined ? (['sms', 'whatsapp'] as const) : (['email'] as const)
    const channel = order.flatMap((kind) => channels.filter((one) => one.channel === kind)).toSorted(vendorsFirst)[0]
    if (!channel) throw new AppError('conflict', `No ${order.join(' or ')} channel is configured. Configure one with create_channel.`)
    return through(channel) ?? inbox
  }

  const order = target.person?.channelOrder ?? []
  const routes = order.flatMap((kind) =>
    kind === 'inbox' ? [inbox] : channels.filter((one) => one.channel === kind).flatMap((one) => through(one) ?? []),
  )
  const isVendors = ({ channel }: Route) => channel !== null && !standsIn(channel)
  // A stand-in of any kind gives way to a vendor of another that reaches the person; the inbox keeps its place.
  const usable = routes.some(isVendors) ? routes.filter((route) => route.channel === null || isVendors(route)) : routes
  const refused = await listOptOuts(
    tx,
    tenantId,
    usable.flatMap((route) => route.address ?? []),
  )
  return usable.find((route) => !refused.some((one) => one.isOut && one.channel === route.kind && one.address === route.address)) ?? inbox
}
