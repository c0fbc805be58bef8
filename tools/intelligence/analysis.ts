/** What the operations on analyses share. */
import { z } from 'zod'

import type { AttachmentAnalysis } from './intelligence.schema.ts'
import type { AnalysisRow } from './intelligence.store.ts'

/** Narrows an asset that several records or properties hold. */
export const analysisFilter = {
  eiRecordId: z.int().optional().describe('Of one record that holds the asset'),
  entityPropertyId: z.int().optional().describe('Of one property that holds it; the number that set_attachment_analysis answers'),
} as const

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
