/** Attachments of records: whether the named assets may stand there, and what is analysed once they do. */
import type { Issue } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { findAssets, isAllowedType } from '#tools/assets/service.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'
import { noteTargetStates, queueAnalyses } from '#tools/intelligence/service.ts'
import type { Value } from '#tools/properties/service.ts'

import type { Followed } from './analysis-targets.ts'
import type { WriteFrame } from './write-frame.ts'

export interface AssetProblem {
  /** A file that is not sensitive in a sensitive property: 422 rather than 400. */
  readonly isSensitivity: boolean
  readonly issues: readonly Issue[]
}

/** Whether the entity's records can hold files. */
export function holdsAssets(entity: CatalogEntity): boolean {
  return assetProperties(entity).length > 0
}

function assetProperties(entity: CatalogEntity): CatalogProperty[] {
  return entity.properties.filter((property) => ['Attachment', 'Signature', 'Binary'].includes(property.dataType))
}

/** The files that a property's value names. */
export function assetKeysOf(value: Value | undefined): string[] {
  if (value === null || value === undefined) return []
  return typeof value === 'object' ? value.map(String) : [String(value)]
}

/** What is wrong with the assets that these rows bring, by the row's index. Keys that the record held before are not asked again. */
export async function checkAssets(
  context: TxContext,
  entity: CatalogEntity,
  rows: readonly {
    readonly index: number
    readonly path: string
    readonly values: ReadonlyMap<number, Value>
    readonly before: ReadonlyMap<number, Value> | undefined
  }[],
): Promise<Map<number, AssetProblem>> {
  const problems = new Map<number, AssetProblem>()
  const properties = assetProperties(entity)
  const uses = rows.flatMap((row) =>
    properties.flatMap((property) => {
      const had = new Set(assetKeysOf(row.before?.get(property.entityPropertyId)))
      return [...new Set(assetKeysOf(row.values.get(property.entityPropertyId)))]
        .filter((assetKey) => !had.has(assetKey))
        .map((assetKey) => ({ row, property, assetKey }))
    }),
  )
  if (uses.length === 0) return problems
  const byKey = await findAssets(context.tx, context.tenantId, [...new Set(uses.map((use) => use.assetKey))])
  for (const { row, property, assetKey } of uses) {
    const asset = byKey.get(assetKey)
    const path = `${row.path}.data.${property.internalName}`
    const extension = asset?.fileExtension ?? ''
    let message: string | undefined
    let isSensitivity = false
    if (!asset) message = `There is no asset ${assetKey}. Upload it first with create_upload_url or upload_asset.`
    else if (!isAllowedType(extension, property.allowedFileTypes)) {
      message = `${property.internalName} takes files of type ${property.allowedFileTypes.join(', ')}, not ${extension || 'without an extension'}.`
    } else if (property.isSensitive && !asset.isSensitive) {
      message = `${property.internalName} is sensitive and takes sensitive files only. Upload the file with isSensitive true.`
      isSensitivity = true
    }
    if (message === undefined) continue
    const earlier = problems.get(row.index)
    problems.set(row.index, {
      isSensitivity: isSensitivity || earlier?.isSensitivity === true,
      issues: [...(earlier?.issues ?? []), { path, severity: 'error', message }],
    })
  }
  return problems
}

/** Queues the analyses that saved attachments ask for, and notes what was in their targets; answers the jobs by record. */
export async function queueSavedAttachments(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly {
    readonly eiRecordId: number
    readonly values: ReadonlyMap<number, Value>
    readonly before: ReadonlyMap<number, Value> | undefined
    readonly followed: Followed
  }[],
): Promise<Map<number, number[]>> {
  const jobs = new Map<number, number[]>()
  const notes = rows.flatMap(({ eiRecordId, followed }) =>
    [...followed.notes].map(([entityPropertyId, targets]) => ({ eiRecordId, entityPropertyId, targets })),
  )
  if (notes.length > 0) await noteTargetStates(context.tx, context.tenantId, notes)
  const analysed = assetProperties(frame.entity).filter((property) => property.analysis !== null && property.analysis !== undefined)
  const saves = rows.flatMap((row) =>
    analysed.flatMap((property) => {
      const had = new Set(assetKeysOf(row.before?.get(property.entityPropertyId)))
      return [...new Set(assetKeysOf(row.values.get(property.entityPropertyId)))]
        .filter((assetKey) => !had.has(assetKey))
        .map((assetKey) => ({
          entityId: frame.entity.entityId,
          eiRecordId: row.eiRecordId,
          entityPropertyId: property.entityPropertyId,
          assetKey,
          settings: property.analysis,
        }))
    }),
  )
  if (saves.length === 0) return jobs
  const queued = await queueAnalyses(context, saves)
  queued.forEach((analysis, index) => {
    const save = saves[index]
    if (save) jobs.set(save.eiRecordId, [...(jobs.get(save.eiRecordId) ?? []), analysis.jobId])
  })
  return jobs
}
