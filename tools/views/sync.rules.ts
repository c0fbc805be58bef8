/** What the schedule of a view's exports means for what is shown of the view. */
import { z } from 'zod'

import { type Finding, finding } from '#platform/validation.ts'
import { format } from '#tools/exports/exports.schema.ts'
import type { Schedule } from '#tools/schedules/service.ts'

export const viewSyncKind = 'viewSync'

/** What a schedule keeps for its exports. */
export const syncInput = z.object({ entityId: z.int(), format })

export function frequencyOf(schedule: Schedule | undefined): number | null {
  return schedule && 'everyMinutes' in schedule.timing ? schedule.timing.everyMinutes : null
}

/** Why a view is not exported any more, which nobody asked for. */
export function findSyncProblems(schedule: Schedule | undefined): Finding[] {
  if (schedule === undefined || schedule.stoppedReason === null) return []
  const message = `The scheduled export has stopped. ${schedule.stoppedReason} set_view_sync turns it on again.`
  return [finding('$.syncEnabled', message, { severity: 'warning' })]
}
