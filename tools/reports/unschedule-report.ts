import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { removeSchedule } from '#tools/schedules/service.ts'

import { reportDefinitionId, reportSlot } from './reports.schema.ts'
import { reportDeliveryKind } from './schedule.rules.ts'
import { placeOfReports } from './shown.ts'

export const unscheduleReport = defineOperation({
  ...destroys(z.object({ reportDefinitionId, unscheduled: z.literal(true) })),
  name: 'unschedule_report',
  title: 'Stop delivering a report',
  description: 'Ends your schedule of a report; what was delivered stays, and so does the report.',
  method: 'DELETE',
  path: '/api/v1/reports/{report}/schedule',
  roles: 'DataEdit',
  input: z.object({ report: reportSlot }),
  examples: [{ title: 'By name', input: { report: 'HoursByStatus' }, output: { reportDefinitionId: 10_140, unscheduled: true } }],
  async handler(context, input) {
    const { definitionId } = await mustFindDefinition(context, placeOfReports, input.report)
    const of = { kind: reportDeliveryKind, definitionId, part: String(context.actor.tenantUserId) }
    if (!(await removeSchedule(context, of)))
      throw new AppError('not_found', 'You have no schedule of this report. schedule_report makes one.')
    context.audit({ definitionId })
    return { reportDefinitionId: definitionId, unscheduled: true as const }
  },
})
