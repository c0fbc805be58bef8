import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { allows, parseRoles } from '#platform/roles.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { entityInPath } from '#tools/query/service.ts'
import { maxEveryMinutes, schedulesOf, turnOff, turnOn } from '#tools/schedules/service.ts'

import { placeOfViews, showView } from './shown.ts'
import { frequencyOf, syncInput, viewSyncKind } from './sync.rules.ts'
import { syncRoles } from './syncing.ts'
import { entity, exampleView, view, viewSlot } from './views.schema.ts'

export const setViewSync = defineOperation({
  ...writes(view),
  isIdempotent: true,
  errors: ['not_found'],
  name: 'set_view_sync',
  title: 'Export a view on a schedule',
  description:
    'Exports a view by itself, at once and then every so many minutes, in your name; or ends that. Each export is a job of the kind viewExport (list_jobs) whose result has the assetKey, and sets lastExportUtc.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}/sync',
  roles: 'AdminIntegration',
  input: z.object({
    entity,
    view: viewSlot,
    syncEnabled: z.boolean().describe('false ends it'),
    syncFrequencyMinutes: z.int().min(1).max(maxEveryMinutes).nullish().describe('As before unless told'),
    format: format.optional().describe('csv unless told'),
  }),
  examples: [
    {
      title: 'Every hour',
      input: { entity: 'WorkOrder', view: 'OpenOrders', syncEnabled: true, syncFrequencyMinutes: 60 },
      output: { ...exampleView, syncEnabled: true, syncFrequencyMinutes: 60 },
    },
  ],
  async handler(context, input) {
    const { syncEnabled } = input
    const catalog = await cachedCatalog(context)
    const of = entityInPath(catalog, input.entity)
    const row = await mustFindDefinition(context, placeOfViews(of), input.view)
    const { definitionId } = row
    const present = (await schedulesOf(context, { kind: viewSyncKind }, [definitionId])).get(definitionId)
    const everyMinutes = input.syncFrequencyMinutes ?? frequencyOf(present)
    if (syncEnabled && everyMinutes === null) throw frequencyMissing()
    if (syncEnabled && !allows(parseRoles(syncRoles), context.actor.roleFlag))
      throw new AppError('forbidden', 'The export reads records in your name, which needs the role DataView too.')
    const schedule = { kind: viewSyncKind, definitionId }
    const kept = present && syncInput.parse(present.input)
    const exporting = { entityId: of.entityId, format: input.format ?? kept?.format ?? 'csv' }
    if (everyMinutes !== null) await turnOn(context, schedule, { everyMinutes }, exporting)
    // What was said of a schedule that is off holds as soon as it is turned on.
    if (!syncEnabled) await turnOff(context, schedule)
    context.audit({ definitionId, syncEnabled, everyMinutes })
    return showView(context, catalog, of, row)
  },
})

function frequencyMissing(): AppError {
  const message = 'Say how often: syncFrequencyMinutes, 60 for every hour.'
  return new AppError('invalid_input', message, { issues: [finding('$.syncFrequencyMinutes', message)] })
}
