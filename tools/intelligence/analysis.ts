/** What the operations on analyses share. */
import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { isPlaceSeen } from '#tools/query/service.ts'

import { propertyOf } from './intelligence.rules.ts'
import type { AttachmentAnalysis } from './intelligence.schema.ts'
import { type AnalysisRow, findAnalysis, findLatest } from './intelligence.store.ts'

/** Narrows an asset that several records or properties hold. */
export const analysisFilter = {
  eiRecordId: z.int().optional().describe('Of one record that holds the asset'),
  entityPropertyId: idOrName.optional().describe('Of one property that holds it, by its id or internalName'),
} as const

/** The latest analysis of the asset that the filter leaves; undefined where there is none. */
export async function findWanted(
  context: TxContext,
  assetKey: string,
  { eiRecordId, entityPropertyId }: { readonly eiRecordId?: number | undefined; readonly entityPropertyId?: string | number | undefined },
): Promise<AnalysisRow | undefined> {
  const filter = {
    eiRecordId,
    entityPropertyIds: entityPropertyId === undefined ? undefined : await propertyIds(context, entityPropertyId),
  }
  return findLatest(context.tx, context.tenantId, assetKey, filter)
}

/** Several entities may have a property of the name; the asset tells which is meant. */
async function propertyIds(context: TxContext, idOrName: string | number): Promise<number[]> {
  const { entities } = await cachedCatalog(context)
  return entities.flatMap((entity) => propertyOf(entity, idOrName)?.entityPropertyId ?? [])
}

/** An analysis as the wire has it; undefined where the caller does not see the record and the property. */
export async function analysisSeen(context: TxContext, analysisId: number): Promise<AttachmentAnalysis | undefined> {
  const row = await findAnalysis(context.tx, context.tenantId, analysisId)
  return row && (await isPlaceSeen(context, row)) ? toAnalysis(row) : undefined
}

/** A row as the wire has it. */
export function toAnalysis(row: AnalysisRow): AttachmentAnalysis {
  const { analysisId, assetKey, entityId, eiRecordId, entityPropertyId, jobId, state, model, durationMs } = row
  // What a run has found is shown once it has ended with it.
  const isShown = state === 'done' || state === 'failed' || state === 'skipped'
  return {
    analysisId,
    assetKey,
    entityId,
    eiRecordId,
    entityPropertyId,
    jobId,
    state,
    ...(isShown && row.reason !== null ? { reason: row.reason } : {}),
    ...(isShown && row.ocr ? { ocr: row.ocr } : {}),
    ...(isShown && row.labels ? { labels: row.labels } : {}),
    model: isShown ? model : null,
    durationMs: isShown ? durationMs : null,
    ...(row.written ? { written: row.written } : {}),
    queuedDate: row.queuedAt,
    ...(row.startedAt === null ? {} : { startedDate: row.startedAt }),
    ...(row.finishedAt === null ? {} : { finishedDate: row.finishedAt }),
  }
}
