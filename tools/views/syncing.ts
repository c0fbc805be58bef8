/** Scheduled exports of views: what one due time queues. */
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { queueJob } from '#tools/jobs/service.ts'
import { entityInPath } from '#tools/query/service.ts'
import type { ScheduleKind } from '#tools/schedules/service.ts'

import { viewExportKind, type ViewExportInput } from './exporting.ts'
import { placeOfViews } from './shown.ts'
import { syncInput } from './sync.rules.ts'

/** Turning it on takes the one role, what it does the other one. */
export const syncRoles = 'DataView&AdminIntegration'

export const viewSync: ScheduleKind = {
  needs: syncRoles,
  async queue(context, { definitionId, input }) {
    const { entityId, format } = syncInput.parse(input)
    const of = entityInPath(await cachedCatalog(context), entityId)
    // A view that its exporter does not see any more is not exported any more.
    await mustFindDefinition(context, placeOfViews(of), definitionId)
    const roleFlag = context.actor.roleFlag
    const job: ViewExportInput = { entityId, viewId: definitionId, format, roleFlag, isScheduled: true }
    return queueJob(context, { kind: viewExportKind, operation: 'set_view_sync', requiredRoles: syncRoles, input: job })
  },
}
