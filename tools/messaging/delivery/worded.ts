/** E-mails in the tenant's words: of tasks and reports, and in place of messages that did not arrive. */
import { z } from 'zod'

import type { Tx } from '#platform/db/pool.ts'
import type { TxContext } from '#platform/operation.ts'
import type { MessageMail } from '#tools/mails/mails.schema.ts'
import { type RenderedMail, renderMail, wordingOf } from '#tools/mails/service.ts'

import type { ConversationRow } from '../conversations/conversations.store.ts'
import { findPerson } from '../conversations/recipients.store.ts'
import { isInPlace } from '../fallback/fallback.store.ts'
import { carriedBy } from '../messaging.rules.ts'
import type { Card } from '../messaging.schema.ts'
import { type DueMessage, listThread, lockDue, setMail, setSubject } from './delivery.store.ts'

const namesLink = /\[\[\s*link\s*\]\]/
const namesText = /\[\[\s*text\s*\]\]/
const mostOfTitle = 120

/** What it says, as its recipient gets it. */
interface Written {
  readonly text: string
  readonly card: Card | null
}

type Within = Pick<TxContext, 'tx' | 'tenantId'>

/** The mail in the recipient's language; undefined for a message that is none that a tenant words, or goes by another channel. */
export async function wordedMail(
  { tx, tenantId }: Within,
  { channel, messageId, tenantUserId, mailType, mailTitle }: DueMessage,
  { text, card }: Written,
): Promise<RenderedMail | undefined> {
  if (channel !== 'email' || (mailType === null && !(await isInPlace(tx, tenantId, messageId)))) return undefined
  const person = tenantUserId === null ? undefined : await findPerson(tx, tenantId, tenantUserId)
  const wording = await wordingOf(tx, tenantId, mailType ?? 'messageFallback', person?.languageCode)
  if (!wording) return undefined
  const { subject, body } = wording.text
  // A link that the words have a place for stands there alone; and whatever they are, what was said is in the mail.
  const link = namesLink.test(body) ? card?.link?.url : undefined
  const said = carriedBy('email', { text, card: link === undefined ? card : { ...card, link: undefined } }).text
  const title = mailTitle ?? card?.title ?? said.split('\n', 1)[0] ?? ''
  const values = { recipient: person?.displayName ?? '', title: title.slice(0, mostOfTitle), text: said, link: link ?? '' }
  const whole = { subject, body: namesText.test(body) ? body : `${body}\n\n[[text]]` }
  return renderMail(whole, { tenant: wording.tenantName, ...values }, wording.accent)
}

/** Calls a thread as its first mail, where that is this one. The conversation is held. */
export async function nameThread(
  context: Within,
  conversation: Pick<ConversationRow, 'conversationId' | 'subject'>,
  messageId: number,
): Promise<void> {
  const { tx, tenantId } = context
  const due = conversation.subject === null ? await lockDue(tx, tenantId, messageId) : undefined
  if (due?.channel !== 'email' || (await listThread(tx, tenantId, due)).length > 0) return
  const worded = await wordedMail(context, due, due)
  if (worded?.subject) await setSubject(tx, tenantId, conversation.conversationId, worded.subject)
}

const answered = z.object({ messageId: z.int() })

/** Says which mail a message is that send_message has just answered, in its transaction. */
export async function wordAs(tx: Tx, tenantId: number, answer: unknown, mail: MessageMail): Promise<void> {
  const { messageId } = answered.parse(answer)
  await setMail(tx, tenantId, messageId, mail)
  const due = await lockDue(tx, tenantId, messageId)
  if (due?.subject === null) await nameThread({ tx, tenantId }, { conversationId: due.conversationId, subject: null }, messageId)
}
