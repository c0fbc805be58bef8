/** Decisions about messages: what a channel carries, what an answer means, which status wins. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { Card, ChannelKind, MessageStatus, vendorKinds } from './messaging.schema.ts'

export type Keyword = 'stop' | 'start' | 'help'

const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map((word) => [word, 'stop'] as const),
  ...['START', 'UNSTOP'].map((word) => [word, 'start'] as const),
  ...['HELP', 'INFO'].map((word) => [word, 'help'] as const),
])

/** What each kind of channel carries. A text beyond the length is refused, not cut. */
export const carriesOf = {
  inbox: { maxTextLength: 16_000, choices: 'buttons', attachments: true, receipts: 'read' },
  sms: { maxTextLength: 1_600, choices: 'numbered', attachments: true, receipts: 'delivered' },
  whatsapp: { maxTextLength: 1_600, choices: 'numbered', attachments: true, receipts: 'read' },
  email: { maxTextLength: 16_000, choices: 'numbered', attachments: true, receipts: 'none' },
  telegram: { maxTextLength: 4_096, choices: 'buttons', attachments: true, receipts: 'none' },
  slack: { maxTextLength: 12_000, choices: 'buttons', attachments: true, receipts: 'none' },
  teams: { maxTextLength: 12_000, choices: 'buttons', attachments: true, receipts: 'none' },
  // A push is at most 4,096 bytes, encrypted and with everything that stands beside the text.
  webPush: { maxTextLength: 800, choices: 'buttons', attachments: false, receipts: 'none' },
} as const satisfies Record<ChannelKind, object>

/**
 * How an address of a kind becomes a person's: it is among their contacts; or they wrote a code from the account, which proves that it is theirs; or their
 * browser gave a subscription.
 */
export const registersBy = {
  sms: 'contact',
  whatsapp: 'contact',
  email: 'contact',
  telegram: 'code',
  slack: 'code',
  teams: 'code',
  webPush: 'subscription',
} as const satisfies Record<(typeof vendorKinds)[number], string>

/** The code that links an account, where the message is nothing else; in capitals or not, and after the word that opens a bot. */
export function linkCodeOf(text: string): string | undefined {
  const trimmed = text.trim()
  return trimmed.length > 60 ? undefined : /^(?:\/?start\s+)?(link-[a-z2-7]{16})$/i.exec(trimmed)?.[1]?.toLowerCase()
}

// No word and no label is longer. What strangers send is not looked at beyond, since patterns that end at the end take the square of a long text's length.
const mostWord = 200

const isWordLong = (text: string) => text.length <= mostWord

const asWord = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replace(/[.!"']+$/, '')
    // Before the words of a bot stands a stroke.
    .replace(/^["'/]+/, '')
    .toUpperCase()

/** STOP, START or HELP where the message says nothing else; case, white space and closing punctuation do not matter. */
export function keywordOf(text: string): Keyword | undefined {
  const trimmed = text.trim()
  return isWordLong(trimmed) ? keywords.get(asWord(trimmed)) : undefined
}

const isWord = (text: string, word: string) => isWordLong(text.trim()) && asWord(text) === word

/** YES where the message says nothing else. */
export const isYes = (text: string) => isWord(text, 'YES')

/** Whether a mail is what "unsubscribe" in a mail program sends: its subject is ours, and programs write sentences of their own under it. */
export const isUnsubscribe = (subject: string | undefined) => subject !== undefined && isWord(subject, 'STOP')

/**
 * The keyword of a reply that may also be one of the offered answers: "Cancel" to a question that offers it is an answer. STOP, START and HELP themselves
 * never are, and by SMS none is, since the vendor there acts on each of these words by itself.
 */
export function keywordOfReply(channel: ChannelKind, text: string, isOfferedAnswer: boolean): Keyword | undefined {
  if (channel === 'inbox') return undefined
  const keyword = keywordOf(text)
  if (keyword === undefined || !isOfferedAnswer || channel === 'sms') return keyword
  return ['STOP', 'START', 'HELP'].includes(asWord(text)) ? keyword : undefined
}

const folded = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.!]+$/, '')
    .toLowerCase()

/** The key of the choice that a reply names by its number (from 1), its key or its label; undefined where it names none. */
export function choiceOf(reply: string, choices: NonNullable<Card['choices']>): string | undefined {
  const trimmed = reply.trim()
  if (!isWordLong(trimmed)) return undefined
  const words = folded(trimmed)
  const named = choices.find((choice) => folded(choice.key) === words) ?? choices.find((choice) => folded(choice.label) === words)
  if (named) return named.key
  // A key or label that is itself a number has been found above.
  const number = /^#?(\d{1,2})[.):]?$/.exec(words)?.[1]
  return number === undefined ? undefined : choices[Number(number) - 1]?.key
}

/**
 * Which of a person's open conversations a reply belongs to, first the one in which we spoke last: that one, unless the reply is one of the answers that
 * another offers and nobody has given there yet.
 */
export function conversationMeant(
  open: readonly { readonly conversationId: number; readonly choices: NonNullable<Card['choices']> | null }[],
  reply: string,
): number | undefined {
  const asking = open.find(({ choices }) => choices !== null && choiceOf(reply, choices) !== undefined)
  return (asking ?? open[0])?.conversationId
}

/** A message as plain text: what a channel without buttons shows. */
export function plainText(text: string, card: Card | null | undefined): string {
  const choices = card?.choices?.map((choice, index) => `${index + 1}. ${choice.label}`)
  const parts = [
    card?.title,
    text,
    card?.text,
    choices?.join('\n'),
    card?.link ? `${card.link.label}: ${card.link.url}` : undefined,
    choices ? 'Reply with the number of your answer.' : undefined,
  ]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** A message as a channel of this kind carries it: what it says, and what can be tapped there. */
export function carriedBy(
  kind: ChannelKind,
  { text, card }: { readonly text: string; readonly card: Card | null | undefined },
): { text: string; choices: { key: string; label: string }[] } {
  const choices = card?.choices ?? []
  const hasButtons = carriesOf[kind].choices === 'buttons'
  const written = hasButtons && card ? { ...card, choices: undefined } : card
  const whole = plainText(text, written)
  // Vendors take no message without words, whatever stands under them.
  const isBare = whole === '' && choices.length > 0 && kind !== 'inbox'
  return { text: isBare ? 'Please choose:' : whole, choices: [...choices] }
}

// What the basic alphabet of GSM 03.38 holds, and what takes two places in it.
const gsmPlain = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà]$/
const gsmDouble = /^[\f^{}\\[~\]|€]$/

/** Of how many parts an SMS is made: 160 characters, or 153 each of several; 70, or 67 each, where one of them is in no alphabet of old telephones. */
export function smsParts(text: string): number {
  let places = 0
  for (const character of text) {
    if (gsmPlain.test(character)) places += 1
    else if (gsmDouble.test(character)) places += 2
    else return text.length <= 70 ? 1 : Math.ceil(text.length / 67)
  }
  return places <= 160 ? 1 : Math.ceil(places / 153)
}

interface Sendable {
  readonly text?: string | undefined
  readonly card?: Card | undefined
  readonly assetKeys?: readonly string[] | undefined
}

/** White space alone is no message either: vendors refuse it, and an inbox shows nothing. */
const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

/** What keeps a message from going out on a channel of this kind. */
export function findMessageIssues(kind: ChannelKind, { text, card, assetKeys }: Sendable): Issue[] {
  const issues: Issue[] = []
  const hasNothing = isBlank(text) && (assetKeys ?? []).length === 0 && (card === undefined || Object.keys(card).length === 0)
  if (hasNothing) issues.push(finding('$.text', 'The message is empty. Give a text, a card or assetKeys.'))
  const keys = (card?.choices ?? []).map((choice) => choice.key)
  const labels = (card?.choices ?? []).map((choice) => folded(choice.label))
  if (new Set(keys).size < keys.length || new Set(labels).size < labels.length) {
    issues.push(finding('$.card.choices', 'Two choices have the same key or label, so that an answer would not tell which was meant.'))
  }
  // A push has no room beside its text: what is tapped there counts too.
  const tapped = kind === 'webPush' ? labels.join('').length : 0
  const length = carriedBy(kind, { text: text ?? '', card }).text.length + tapped
  const { maxTextLength, attachments } = carriesOf[kind]
  const hasFiles = (assetKeys ?? []).length > 0 || card?.imageAssetKey !== undefined
  if (hasFiles && !attachments)
    issues.push(finding('$.assetKeys', `${kind} carries no files and no images. Send them to the inbox, or send a link.`))
  if (length > maxTextLength) {
    issues.push(finding('$.text', `With its card the message has ${length} characters; ${kind} carries ${maxTextLength}.`))
  }
  return issues
}

/** What is wrong with an answer to this question. */
export function findAnswerIssues(
  card: Card | null,
  answer: { text?: string | undefined; choice?: string | undefined; assetKeys?: readonly string[] | undefined },
): Issue[] {
  if (isBlank(answer.text) && answer.choice === undefined && (answer.assetKeys ?? []).length === 0) {
    return [finding('$.text', 'The answer is empty. Give a text, a choice or assetKeys.')]
  }
  if (answer.choice === undefined) return []
  const keys = (card?.choices ?? []).map((choice) => choice.key)
  if (keys.includes(answer.choice)) return []
  const suggestion = nearest(answer.choice, keys)
  const message =
    keys.length === 0
      ? 'The message offers no choices. Answer with a text.'
      : `${quoted(answer.choice)} is none of its choices. Allowed: ${keys.join(', ')}.`
  return [finding('$.choice', message, { suggestion })]
}

const ranks: Readonly<Record<MessageStatus, number>> = { queued: 0, unknown: 1, sent: 2, failed: 3, delivered: 4, read: 5, suppressed: 6 }

/** Callbacks come unordered and repeated: a status replaces only one of a lower rank. */
export function rankOf(status: MessageStatus): number {
  return ranks[status]
}

export const helpTextDefault = 'Reply STOP to get no more of these messages, START to get them again.'
