import type { Domain } from '#platform/operation.ts'

import { channelOperations } from './channels/index.ts'
import { conversationOperations } from './conversations/index.ts'
import { handsetOperations } from './handsets/index.ts'
import { inboxOperations } from './inbox/index.ts'
import { messagingPhrases } from './messaging.phrases.ts'
import { scheduledOperations } from './scheduled/index.ts'
import { templateOperations } from './templates/index.ts'

export const messagingDomain: Domain = {
  name: 'messaging',
  title: 'Messaging',
  summary:
    'Ask people and wait for what they say: send, await, poll, end, over the inbox, SMS, WhatsApp, e-mail, Telegram, Slack, Teams and web push.',
  operations: [
    ...conversationOperations,
    ...scheduledOperations,
    ...inboxOperations,
    ...channelOperations,
    ...templateOperations,
    ...handsetOperations,
  ],
  phrases: messagingPhrases,
}
