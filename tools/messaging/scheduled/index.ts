/** The operations on scheduled messages, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { cancelScheduledMessage } from './cancel-scheduled-message.ts'
import { scheduleMessage } from './schedule-message.ts'

export const scheduledOperations: readonly Operation[] = [scheduleMessage, cancelScheduledMessage]
