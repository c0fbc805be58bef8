import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { assetKey } from '#tools/assets/assets.schema.ts'
import { findReachable } from '#tools/assets/service.ts'
import { isPlaceSeen } from '#tools/query/service.ts'

import { analysisFilter, findWanted, toAnalysis } from './analysis.ts'
import { attachmentAnalysis, exampleAnalysis } from './intelligence.schema.ts'

export const getAttachmentAnalysis = defineOperation({
  ...reads(attachmentAnalysis),
  name: 'get_attachment_analysis',
  title: 'Get what was recognised in an attachment',
  description:
    'Answers the latest analysis of an asset that a record holds: its state, the text and labels once it is done, and which properties were written. ' +
    'To wait for it call await_job with its jobId. An asset whose property asks for no analysis answers 404.',
  method: 'POST',
  path: '/api/v1/assets/{assetKey}/analysis',
  roles: 'DataView',
  input: z.object({ assetKey, ...analysisFilter }),
  examples: [{ title: 'A photograph of a sign', input: { assetKey: exampleAnalysis.assetKey }, output: exampleAnalysis }],
  async handler(context, input) {
    const asset = mustExist((await findReachable(context, [input.assetKey])).get(input.assetKey), 'asset')
    const row = await findWanted(context, asset.assetKey, input)
    if (!row || !(await isPlaceSeen(context, row)))
      throw new AppError(
        'not_found',
        'No such analysis. An asset is analysed when it is saved in a property that set_attachment_analysis was called for.',
      )
    if (asset.isSensitive) context.audit({ isSensitive: true })
    return toAnalysis(row)
  },
})
