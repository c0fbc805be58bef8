/** The operations on people's own inboxes, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { answerInboxMessage } from './answer-inbox-message.ts'
import { listInbox } from './list-inbox.ts'
import { markInboxRead } from './mark-inbox-read.ts'

export const inboxOperations: readonly Operation[] = [listInbox, answerInboxMessage, markInboxRead]
