/** What a vendor's webhook says, carried out: messages stored, statuses moved on, STOP and START obeyed. Each delivery once. */
import { AppError } from '#platform/errors.ts'
import { parseJson } from '#platform/json.ts'
import type { TxContext } from '#platform/operation.ts'

import { asEmail, asPhone } from '../conversations/addresses.ts'
import { type ChannelRow, insertOptOut, isOptedOut, takeReceipt } from './channels.store.ts'
import { findLastAttempt, setOutcome } from '../delivery/delivery.store.ts'
import { storeDelivery, storeThreaded } from '../conversations/inbound.ts'
import { replyText } from '../delivery/mail-text.rules.ts'
import { findCalledBack } from '../conversations/messages.store.ts'
import { helpTextDefault } from '../messaging.rules.ts'
import { readReplyAddress } from '../delivery/reply-address.ts'
import { messageTopic } from '../conversations/send.ts'
import { moveStatus } from '../conversations/logged.ts'
import {
  emailDelivery,
  failureOfTwilio,
  type Form,
  readTwilio,
  statusOfTwilio,
  type TwilioMessage,
  type TwilioStatus,
  twilioStopped,
} from './webhook.rules.ts'

export type Outcome = 'stored' | 'updated' | 'duplicate' | 'ignored'

/** Takes a signed form of Twilio's. `named` is our id in the address of a status callback. Throws AppError `invalid_input` for anything else. */
export async function takeTwilio(
  context: TxContext,
  channel: ChannelRow,
  form: Form,
  named: number | undefined,
): Promise<{ outcome: Outcome; reply?: string | undefined }> {
  const delivery = readTwilio(form)
  if (!delivery) throw new AppError('invalid_input', 'The form is neither a message nor a status of a message.')
  return delivery.kind === 'status'
    ? { outcome: await takeStatus(context, channel, delivery, named) }
    : takeMessage(context, channel, delivery)
}

async function takeMessage(
  context: TxContext,
  channel: ChannelRow,
  delivery: TwilioMessage,
): Promise<{ outcome: Outcome; reply?: string | undefined }> {
  const { tx, tenantId, stamp } = context
  if (!(await takeReceipt(tx, tenantId, channel.channelId, `in:${delivery.sid}`, stamp))) return { outcome: 'duplicate' }
  const { keyword } = await storeDelivery(context, channel, {
    from: asPhone(delivery.from) ?? delivery.from.slice(0, 64),
    to: asPhone(delivery.to) ?? delivery.to.slice(0, 64),
    text: delivery.text,
    payload: delivery.payload,
    keyword: delivery.keyword,
    providerId: delivery.sid,
    media: delivery.media,
  })
  const asksForHelp = keyword === 'help' && delivery.keyword === undefined
  return { outcome: 'stored', reply: asksForHelp ? String(channel.settings['helpText'] ?? helpTextDefault) : undefined }
}

async function takeStatus(context: TxContext, channel: ChannelRow, delivery: TwilioStatus, named: number | undefined): Promise<Outcome> {
  const { tx, tenantId, stamp, services } = context
  const { sid, errorCode } = delivery
  // A message goes through each status once: sid and status make a delivery.
  if (!(await takeReceipt(tx, tenantId, channel.channelId, `status:${sid}:${delivery.status}`, stamp))) return 'duplicate'
  const found = await findCalledBack(tx, tenantId, channel.channelId, { messageId: named, providerId: sid })
  if (!found) return 'ignored'
  const { messageId } = found
  // The callback proves that the vendor has the message, even where the answer to our call was lost.
  const attempt = await findLastAttempt(tx, tenantId, messageId)
  if (attempt) await setOutcome(tx, tenantId, messageId, attempt.attemptNo, 'sent', null)
  const status = statusOfTwilio(delivery.status) ?? 'sent'
  const isStopped = status === 'failed' && errorCode === twilioStopped
  if (isStopped && !(await isOptedOut(tx, tenantId, channel.channel, found.to))) {
    await insertOptOut(tx, tenantId, stamp, { channel: channel.channel, address: found.to, isOut: true, source: 'vendor' })
  }
  const reason = status === 'failed' ? failureOfTwilio(errorCode) : undefined
  const isMoved = await moveStatus(context, messageId, {
    status: isStopped ? 'suppressed' : status,
    reason,
    vendorCode: errorCode,
    providerId: sid,
  })
  context.afterCommit(() => services.wake.poke(messageTopic(messageId)))
  return isMoved ? 'updated' : 'ignored'
}

/** Takes a signed e-mail: by the reply address that it went to, else by what it answers, else by its sender. */
export async function takeEmail(context: TxContext, channel: ChannelRow, body: Buffer): Promise<Outcome> {
  const { tx, tenantId, stamp, services } = context
  const parsed = emailDelivery.safeParse(parseJson(body.toString('utf8')))
  const from = parsed.success ? asEmail(parsed.data.from) : undefined
  if (!parsed.success || from === undefined)
    throw new AppError('invalid_input', 'The body is no e-mail: it needs from, to, text and messageId, and may have subject and inReplyTo.')
  const mail = parsed.data
  if (!(await takeReceipt(tx, tenantId, channel.channelId, `mail:${mail.messageId}`, stamp))) return 'duplicate'
  const addressees = (typeof mail.to === 'string' ? mail.to.split(',') : mail.to).flatMap((one) => asEmail(one) ?? [])
  const named = addressees.map((one) => readReplyAddress(services, one)).find((one) => one?.tenantId === tenantId)
  const inbound = {
    from,
    to: addressees[0] ?? null,
    text: replyText(mail.text),
    subject: mail.subject,
    providerId: mail.messageId,
    inReplyTo: mail.inReplyTo === undefined ? [] : [mail.inReplyTo],
  }
  if (!named) {
    await storeDelivery(context, channel, inbound)
    return 'stored'
  }
  return (await storeThreaded(context, named.conversationId, inbound)) ? 'stored' : 'duplicate'
}
