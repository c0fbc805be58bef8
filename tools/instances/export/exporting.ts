/** What of an entity goes into a file, whether a call writes it or a job. */
import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import type { Finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { exportInJob, fileNameOf, isSensitiveExport, recordsAsContent, starterOf } from '#tools/exports/service.ts'
import type { JobRunner } from '#tools/jobs/service.ts'
import { entityInPath, readColumn, readFrameOf, type ShownColumn } from '#tools/query/service.ts'

export const instanceExportKind = 'instanceExport'

const exportInput = z.object({
  entityId: z.int(),
  format,
  filterRules: z.unknown().optional(),
  /** By id: a rename meanwhile changes nothing. */
  properties: z.array(z.union([z.int(), z.string()])).optional(),
  roleFlag: z.int(),
})
export type InstanceExportInput = z.infer<typeof exportInput>

const key: ShownColumn = { name: 'externalKey', system: 'externalKey' }

/** Whose each row is stands first, unless it was asked for elsewhere. Throws 400 with every name that there is not. */
function columnsOf(entity: CatalogEntity, names: readonly (string | number)[]): readonly ShownColumn[] {
  const columns = new Map<string, ShownColumn>()
  const issues: Finding[] = []
  names.forEach((name, index) => {
    if (issues.length >= maxIssues) return
    const read = readColumn(entity, name, `$.properties[${index}]`)
    if ('problem' in read) issues.push(read.problem)
    else columns.set(read.column.name, read.column)
  })
  if (issues[0]) throw new AppError('unknown_property', issues[0].message, { issues })
  return columns.has(key.name) ? [...columns.values()] : [key, ...columns.values()]
}

/** The records of an entity that a filter selects, with these columns, or with every property. */
export async function planExport(
  context: TxContext,
  entity: IdOrName,
  asked: { readonly filterRules?: unknown; readonly properties?: readonly (string | number)[] | undefined },
) {
  const catalog = await cachedCatalog(context)
  const of = entityInPath(catalog, entity)
  const request = {
    columns: columnsOf(of, asked.properties ?? of.properties.map((property) => property.internalName)),
    filters: asked.filterRules === undefined ? [] : [asked.filterRules],
    sort: undefined,
  }
  return {
    content: recordsAsContent(await readFrameOf(context, catalog, of), request),
    columns: request.columns,
    entityId: of.entityId,
    name: fileNameOf(of.internalName, context.stamp),
    isSensitive: isSensitiveExport(request),
  }
}

/** Carries out exports that are too large for a call. */
export const instanceExportRunner: JobRunner = {
  async step(services, job, signal) {
    const { entityId, roleFlag, ...input } = exportInput.parse(job.input)
    const actor = await starterOf(services, job, roleFlag)
    const plan = (context: TxContext) => planExport(context, entityId, input)
    const { name, isSensitive } = await inSystemTransaction(services, job.tenantId, (context) => plan({ ...context, actor }))
    await exportInJob(services, job, actor, signal, { name, format: input.format, isSensitive, plan })
    return 'done'
  },
}
