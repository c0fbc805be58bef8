/** The ticker: looks once a second for schedules and messages that are due. Several of them, in several processes, do each once. */
import { dropOldAuditEvents } from '#platform/audit.ts'
import { dropOldChanges } from '#platform/credential-changes.ts'
import type { Services } from '#platform/services.ts'
import { sendDueMessages } from '#tools/messaging/service.ts'
import { fireDue, lookAgain, type ScheduleKinds, schedulesTopic } from '#tools/schedules/service.ts'

import { every, keepLooking, type Looking } from './looking.ts'

const pauseMs = 1_000
const sweepMs = 60_000
const hourlyMs = 3_600_000

export function startTicker(services: Services, kinds: ScheduleKinds): Looking {
  const { databases, config } = services
  const sweep = every(sweepMs, () => lookAgain(services))
  const sweepAudit = every(hourlyMs, () => dropOldAuditEvents(databases, config.auditDays))
  const sweepChanges = every(hourlyMs, () => dropOldChanges(databases))
  return keepLooking(services, {
    topic: schedulesTopic,
    pauseMs,
    complaint: 'the ticker could not look for what is due',
    async once() {
      await sweep()
      await sweepAudit()
      await sweepChanges()
      const found = await Promise.all([fireDue(services, kinds), sendDueMessages(services)])
      return found.reduce((sum, count) => sum + count, 0)
    },
  })
}
