/** Whether a message arrived as far as its channel can tell, and how long is waited for that. */
import { readDuration } from '#platform/tokens/zoned.ts'
import { type Finding, finding } from '#platform/validation.ts'

import { carriesOf } from '../messaging.rules.ts'
import type { ChannelKind, MessageStatus } from '../messaging.schema.ts'

export const secondsUnlessTold = 15 * 60
const fewestSeconds = 60
const mostSeconds = 7 * 86_400

export function readWait(said: string | undefined): { readonly seconds: number } | { readonly finding: Finding } {
  if (said === undefined) return { seconds: secondsUnlessTold }
  const duration = readDuration(said)
  const seconds = duration && duration.months === 0 ? duration.days * 86_400 + duration.ms / 1_000 : Number.NaN
  if (seconds >= fewestSeconds && seconds <= mostSeconds) return { seconds }
  return { finding: finding('$.fallbackAfter', 'Send an ISO 8601 duration from PT1M to P7D, such as PT15M.') }
}

/** `over`: it arrived, or nobody waits any more. `missed`: it did not. `queued`: it is still here. */
export type Verdict = 'over' | 'missed' | 'queued'

/** What the inbox shows must be read; elsewhere delivered is enough where the channel tells of it, and sent where it does not. */
export function verdictOf(of: {
  readonly kind: ChannelKind
  readonly status: MessageStatus
  readonly isAnswered: boolean
  readonly isEnded: boolean
}): Verdict {
  if (of.isAnswered || of.isEnded) return 'over'
  switch (of.status) {
    case 'read':
      return 'over'
    case 'delivered':
      return of.kind === 'inbox' ? 'missed' : 'over'
    case 'sent':
      return carriesOf[of.kind].receipts === 'none' ? 'over' : 'missed'
    case 'queued':
      return 'queued'
    case 'failed':
    case 'suppressed':
    case 'unknown':
      return 'missed'
  }
}
