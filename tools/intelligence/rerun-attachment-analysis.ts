import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { assetKey } from '#tools/assets/assets.schema.ts'
import { findReachable } from '#tools/assets/service.ts'
import { isPlaceSeen } from '#tools/query/service.ts'

import { analysisFilter, findWanted, toAnalysis } from './analysis.ts'
import { attachmentAnalysis, exampleAnalysis } from './intelligence.schema.ts'
import { findLatest } from './intelligence.store.ts'
import { queueAgain } from './service.ts'

const { ocr: _ocr, labels: _labels, written: _written, startedDate: _started, finishedDate: _finished, ...exampleQueued } = exampleAnalysis

export const rerunAttachmentAnalysis = defineOperation({
  ...writes(attachmentAnalysis),
  name: 'rerun_attachment_analysis',
  title: 'Analyse an attachment again',
  description:
    'Queues the latest analysis of an asset again, with the settings that its property has now; a run that is under way is given up. ' +
    'Then call await_job with the jobId. Values that somebody edited since the last run wrote them are left alone.',
  method: 'POST',
  path: '/api/v1/assets/{assetKey}/analysis/rerun',
  roles: 'FileEdit',
  input: z.object({ assetKey, ...analysisFilter }),
  errors: ['not_found'],
  examples: [
    {
      title: 'After the languages were changed',
      input: { assetKey: exampleAnalysis.assetKey },
      output: { ...exampleQueued, jobId: 45, state: 'queued', model: null, durationMs: null },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const asset = mustExist((await findReachable(context, [input.assetKey])).get(input.assetKey), 'asset')
    const row = await findWanted(context, asset.assetKey, input)
    if (!row || !(await isPlaceSeen(context, row)))
      throw new AppError(
        'not_found',
        'No such analysis. An asset is analysed when it is saved in a property that set_attachment_analysis was called for.',
      )
    const queued = await queueAgain(context, row, { operation: 'rerun_attachment_analysis', requiredRoles: 'FileEdit' })
    context.audit({ analysisId: queued.analysisId, jobId: queued.jobId })
    const { eiRecordId, entityPropertyId } = row
    return toAnalysis(
      mustExist(await findLatest(tx, tenantId, asset.assetKey, { eiRecordId, entityPropertyIds: [entityPropertyId] }), 'analysis'),
    )
  },
})
