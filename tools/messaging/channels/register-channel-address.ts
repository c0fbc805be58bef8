import { createHash } from 'node:crypto'

import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { assertAllowedHost } from '#platform/outbound.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import { browsersOf } from '../conversations/addresses.ts'
import { registersBy } from '../messaging.rules.ts'
import { mustProvide } from '../providers/index.ts'
import { deleteElsewhere, keepNewest, unlinkUser } from './channel-addresses.store.ts'
import { channelAddress, exampleChannelAddress, subscription } from './channels.schema.ts'
import { type ChannelRow, listChannels } from './channels.store.ts'
import { makeLinkCode, noteAddress } from './linking.ts'
import { standsIn } from './standing-in.ts'

const codeMs = 3_600_000

/** Of one user on one channel; a browser that is not used any more makes room. */
const mostBrowsers = 10

function refuse(path: string, message: string, suggestion?: string): AppError {
  return new AppError('invalid_input', message, { issues: [finding(path, message, { suggestion })] })
}

/** The channel that is named, by its kind the first with a vendor. */
function chosen(channels: readonly ChannelRow[], wanted: string): ChannelRow {
  const linked = channels.filter(({ channel }) => registersBy[channel] !== 'contact')
  const named = channels.find(({ internalName }) => internalName.toLowerCase() === wanted.toLowerCase())
  const ofKind = linked.toSorted((a, b) => Number(standsIn(a)) - Number(standsIn(b))).find(({ channel }) => channel === wanted)
  const found = named ?? ofKind
  if (found && registersBy[found.channel] === 'contact')
    throw refuse('$.channel', `${found.channel} reaches the phone numbers and e-mails among your contacts. Nothing is to be linked there.`)
  if (found) return found
  const names = linked.map(({ internalName }) => internalName)
  const allowed =
    names.length === 0 ? 'None is configured: an administrator does so with create_channel.' : `Allowed: ${names.slice(0, 40).join(', ')}.`
  throw refuse('$.channel', `There is no channel ${quoted(wanted)} to link to. ${allowed}`, nearest(wanted, names))
}

export const registerChannelAddress = defineOperation({
  ...writes(channelAddress),
  name: 'register_channel_address',
  title: 'Link my account or browser to a channel',
  description:
    'Links my own Telegram, Slack or Teams account, or this browser for web push, so that messages reach me there. An account: the answer has a code that I write to the bot from it (url opens it). A browser: the answer has publicKey to subscribe with; call again with the subscription.',
  method: 'POST',
  path: '/api/v1/messaging/addresses',
  roles: 'any',
  errors: ['unprocessable'],
  issuesSecret: { idField: 'channelId' },
  input: z.object({
    channel: z.string().min(1).max(64).describe('telegram, slack, teams, webPush, or an internalName'),
    subscription: subscription.optional(),
    remove: z.boolean().optional().describe('Unlink what I linked there'),
  }),
  examples: [{ title: 'My Telegram account', input: { channel: 'telegram' }, output: exampleChannelAddress }],
  async handler(context, input) {
    const { tx, tenantId, stamp, actor, services } = context
    const channel = chosen(await listChannels(tx, tenantId), input.channel)
    const { channelId, internalName, channel: kind } = channel
    const of = { channelId, channel: kind, internalName }
    if (input.subscription !== undefined && registersBy[kind] !== 'subscription')
      throw refuse(
        '$.subscription',
        `${internalName} links accounts, not browsers. Leave it out, and write the code of the answer from the account.`,
      )
    if (input.remove === true) {
      await unlinkUser(tx, tenantId, channelId, actor.tenantUserId)
      context.audit({ channelId, isRemoved: true })
      return { ...of, state: 'removed' as const }
    }
    if (registersBy[kind] === 'code') {
      const expiresAt = new Date(Date.parse(stamp) + codeMs).toISOString()
      const code = await makeLinkCode(context, channelId, actor.tenantUserId, expiresAt)
      context.audit({ channelId })
      return { ...of, state: 'pending' as const, code, expiresAt, ...mustProvide(channel.provider).invite(channel.settings, code) }
    }
    if (input.subscription === undefined)
      return { ...of, state: 'pending' as const, ...mustProvide(channel.provider).invite(channel.settings, '') }
    const { endpoint, keys } = input.subscription
    assertAllowedHost(services.config, new URL(endpoint).hostname)
    const address = browsersOf(actor.tenantUserId)
    const device = createHash('sha256').update(endpoint).digest('hex').slice(0, 32)
    // A browser that several share shows what comes for who uses it now.
    await deleteElsewhere(tx, tenantId, { channelId, address }, device)
    await noteAddress(context, { channelId, address }, { device, tenantUserId: actor.tenantUserId, details: { endpoint, ...keys } })
    await keepNewest(tx, tenantId, { channelId, address }, mostBrowsers)
    context.audit({ channelId, device })
    return { ...of, state: 'linked' as const, address }
  },
})
