/** What of a view goes into a file, whether a call writes it or a job. */
import { z } from 'zod'

import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { format } from '#tools/exports/exports.schema.ts'
import {
  type Exported,
  exportInJob,
  type FileContent,
  fileNameOf,
  isSensitiveExport,
  recordsAsContent,
  starterOf,
} from '#tools/exports/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import type { JobRunner } from '#tools/jobs/service.ts'
import { entityInPath, readFrameOf, type ShownColumn } from '#tools/query/service.ts'
import { keepFile } from '#tools/schedules/service.ts'

import { soundView } from './shown.ts'
import { viewSyncKind } from './sync.rules.ts'
import { noteExport } from './views.store.ts'

export const viewExportKind = 'viewExport'

const exportInput = z.object({
  entityId: z.int(),
  viewId: z.int(),
  format,
  filterRules: z.unknown().optional(),
  roleFlag: z.int(),
  isScheduled: z.boolean().optional(),
})
export type ViewExportInput = z.infer<typeof exportInput>

interface ViewPlan {
  readonly content: FileContent
  readonly entityId: number
  readonly viewId: number
  /** Of the file, without its extension. */
  readonly name: string
  readonly isSensitive: boolean
}

const key: ShownColumn = { name: 'externalKey', system: 'externalKey' }

/** Reads the view as it is now. A view that names no columns shows every property, and whose they are. */
export async function planExport(context: TxContext, entity: IdOrName, slot: IdOrName, filterRules: unknown): Promise<ViewPlan> {
  const catalog = await cachedCatalog(context)
  const of = entityInPath(catalog, entity)
  const { query, definition } = await soundView(context, catalog, of, slot)
  const columns = query.columns ?? [key, ...of.properties.map((property) => ({ name: property.internalName, property }))]
  const filters = filterRules === undefined ? query.filters : [...query.filters, filterRules]
  const request = { columns, filters, sort: query.sort }
  return {
    content: recordsAsContent(await readFrameOf(context, catalog, of), request),
    entityId: of.entityId,
    viewId: definition.definitionId,
    name: fileNameOf(definition.internalName, context.stamp),
    isSensitive: isSensitiveExport(request),
  }
}

export const noteExportOf = (viewId: number) => (context: TxContext) => noteExport(context.tx, context.tenantId, context.stamp, viewId)

const noteScheduled = (viewId: number) => async (context: TxContext, done: Exported) => {
  await noteExport(context.tx, context.tenantId, context.stamp, viewId)
  await keepFile(context, { kind: viewSyncKind, definitionId: viewId }, done.assetKey)
}

/** Carries out exports of views that are too large for a call. */
export const viewExportRunner: JobRunner = {
  async step(services, job, signal) {
    const input = exportInput.parse(job.input)
    const { entityId, viewId, filterRules, roleFlag, isScheduled } = input
    const actor = await starterOf(services, job, roleFlag)
    const plan = (context: TxContext) => planExport(context, entityId, viewId, filterRules)
    const { name, isSensitive } = await inSystemTransaction(services, job.tenantId, (context) => plan({ ...context, actor }))
    const onStored = isScheduled ? noteScheduled(viewId) : noteExportOf(viewId)
    await exportInJob(services, job, actor, signal, { name, format: input.format, isSensitive, plan, onStored })
    return 'done'
  },
}
