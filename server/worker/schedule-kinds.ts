/** What happens by itself at times, by the kind that the schedule's row names. */
import type { ScheduleKinds } from '#tools/schedules/service.ts'
import { reportDelivery, reportDeliveryKind } from '#tools/reports/service.ts'
import { viewSync, viewSyncKind } from '#tools/views/service.ts'
import { findFlowVersion, triggerSchedule, triggerScheduleKind } from '#tools/workflows/service.ts'

export const scheduleKinds: ScheduleKinds = {
  [viewSyncKind]: viewSync,
  [reportDeliveryKind]: reportDelivery,
  [triggerScheduleKind]: triggerSchedule(findFlowVersion),
}
