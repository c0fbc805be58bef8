/** Messages on their way to whoever they are for. */
import { linkStandIn, type LinkName } from '#platform/link-tokens.ts'

import type { Card } from '../messaging.schema.ts'

interface Written {
  readonly text: string
  readonly card: Card | null
}

const standIn = linkStandIn({ linkId: 0 }).slice(0, -1)

/** Whether it may bring a link, whose token is not in it. */
export function mayBringLink({ text, card }: Written): boolean {
  return text.includes(standIn) || card?.link?.url.includes(standIn) === true
}

/** As its recipient gets it: the link that it brings leads where it is meant to. */
export function forRecipient<Message extends Written>(
  message: Message,
  link: LinkName | undefined,
  write: (text: string, link: LinkName) => string,
): Message {
  if (!link) return message
  const { text, card } = message
  return {
    ...message,
    text: write(text, link),
    card: card?.link ? { ...card, link: { ...card.link, url: write(card.link.url, link) } } : card,
  }
}
