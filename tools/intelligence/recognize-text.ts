import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'
import { assetKey } from '#tools/assets/assets.schema.ts'

import { exampleText, foundText, languages, reason } from './intelligence.schema.ts'
import { recognizeNow } from './recognize-now.ts'

export const recognizeText = defineStagedOperation({
  ...reads(
    z.object({
      assetKey,
      state: z.enum(['done', 'failed', 'skipped']),
      reason: reason.optional(),
      ocr: foundText.optional(),
      durationMs: z.int(),
    }),
  ),
  name: 'recognize_text',
  title: 'Read the text in a file',
  description:
    'Reads a photograph, scan or PDF now, up to 50 seconds, and answers its text with words and boxes. Nothing is kept. ' +
    'reason says why a file cannot be read. For many or large files use set_attachment_analysis.',
  method: 'POST',
  path: '/api/v1/intelligence/ocr',
  roles: 'DataView',
  input: z.object({ assetKey, languages: languages.optional() }),
  errors: [],
  examples: [
    {
      title: 'A sign in a photograph',
      input: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', languages: ['eng'] },
      output: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', state: 'done', ocr: exampleText, durationMs: 1420 },
    },
  ],
  async stagedHandler(context, input) {
    const found = await recognizeNow(context, input.assetKey, {
      ocr: true,
      classify: false,
      ...(input.languages ? { languages: input.languages } : {}),
    })
    const { state, reason, ocr, durationMs } = found
    return {
      assetKey: input.assetKey,
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(ocr ? { ocr: { ...ocr, words: ocr.words.map((word) => ({ ...word, box: [...word.box] })) } } : {}),
      durationMs: Math.round(durationMs),
    }
  },
})
