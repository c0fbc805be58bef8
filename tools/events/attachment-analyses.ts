/** Attachments whose property asks for analysis are queued when they come into a record. */
import { isAnalysed, queueAnalyses } from '#tools/intelligence/service.ts'
import { assetKeysOf } from '#tools/properties/service.ts'

import type { Listener } from './events.types.ts'

export const attachmentAnalyses: Listener = {
  compares: (entity, kind) => kind === 'modified' && entity.properties.some(isAnalysed),
  async hear(context, { entity }, changes) {
    const analysed = entity.properties.filter(isAnalysed)
    const saved = changes.flatMap(({ id, before, after }) =>
      analysed.flatMap((property) => {
        const had = new Set(assetKeysOf(before?.get(property.entityPropertyId)))
        return [...new Set(assetKeysOf(after?.get(property.entityPropertyId)))]
          .filter((assetKey) => !had.has(assetKey))
          .map((assetKey) => ({
            entityId: entity.entityId,
            eiRecordId: id,
            entityPropertyId: property.entityPropertyId,
            assetKey,
            settings: property.analysis,
          }))
      }),
    )
    if (saved.length === 0) return undefined
    const queued = await queueAnalyses(context, saved)
    const jobs = new Map<number, number[]>()
    queued.forEach(({ jobId }, index) => {
      const record = saved[index]?.eiRecordId ?? 0
      jobs.set(record, [...(jobs.get(record) ?? []), jobId])
    })
    return jobs
  },
}
