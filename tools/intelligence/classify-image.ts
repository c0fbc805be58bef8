import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'
import { assetKey } from '#tools/assets/assets.schema.ts'

import { foundLabel, minScore, model, reason } from './intelligence.schema.ts'
import { recognizeNow } from './recognize-now.ts'

export const classifyImage = defineStagedOperation({
  ...reads(
    z.object({
      assetKey,
      state: z.enum(['done', 'failed', 'skipped']),
      reason: reason.optional(),
      labels: z.array(foundLabel).optional(),
      model: z.string().nullable(),
      durationMs: z.int(),
    }),
  ),
  name: 'classify_image',
  title: 'Say what a picture shows',
  description:
    'Labels a picture now, up to 50 seconds: at most five labels with scores, the likeliest first. Nothing is kept. list_models names the models. ' +
    'failed and skipped say in reason why the file cannot be labelled. For many files use set_attachment_analysis.',
  method: 'POST',
  path: '/api/v1/intelligence/classify',
  roles: 'DataView',
  input: z.object({ assetKey, model: model.optional(), minScore: minScore.optional() }),
  errors: [],
  examples: [
    {
      title: 'A photograph',
      input: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10' },
      output: {
        assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
        state: 'done',
        labels: [{ label: 'airliner', score: 0.92 }],
        model: 'resnet50-imagenet',
        durationMs: 210,
      },
    },
  ],
  async stagedHandler(context, input) {
    const found = await recognizeNow(context, input.assetKey, {
      ocr: false,
      classify: true,
      ...(input.model ? { model: input.model } : {}),
      ...(input.minScore === undefined ? {} : { minScore: input.minScore }),
    })
    const { state, reason, labels, durationMs } = found
    return {
      assetKey: input.assetKey,
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(labels ? { labels: [...labels] } : {}),
      model: found.model ?? null,
      durationMs: Math.round(durationMs),
    }
  },
})
