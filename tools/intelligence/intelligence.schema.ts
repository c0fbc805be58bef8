/** Recognition on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { classifiers, recognitionLanguages } from '#platform/shapes/recognition.ts'

export const analysisState = z.enum(['queued', 'running', 'done', 'failed', 'skipped'])

export const reason = z.string().describe('Why it failed or was skipped, or what is missing of it')

export const foundText = z.object({
  text: z.string(),
  words: z.array(
    z.object({
      text: z.string(),
      confidence: z.number().describe('0 to 100'),
      box: z.array(z.number()).length(4).describe('x0, y0, x1, y1 from the top left: pixels, or points of a PDF page'),
      page: z.int().optional(),
    }),
  ),
  language: z.string(),
  confidence: z.number().describe('0 to 100'),
  pages: z.int().optional(),
})

export const foundLabel = z.object({ label: z.string(), score: z.number().describe('0 to 1') })

export const languages = z
  .array(z.enum(recognitionLanguages))
  .min(1)
  .max(recognitionLanguages.length)
  .describe('The likeliest first; eng unless told')

export const model = z.enum(classifiers).describe('A classification model of list_models')

export const minScore = z.number().min(0).max(1).describe('Labels below it are left out; 0.15 unless told')

/** What of a recognition can be written into the record. */
export const targetKinds = ['text', 'labels', 'topLabel', 'score'] as const
export type TargetKind = (typeof targetKinds)[number]

/** As it is stored with the entity's property. Targets are entityPropertyIds, so that a rename touches nothing. */
export const analysisSettings = z.object({
  ocr: z.boolean(),
  classify: z.boolean(),
  languages,
  model,
  minScore,
  targets: z.object({ text: z.int().optional(), labels: z.int().optional(), topLabel: z.int().optional(), score: z.int().optional() }),
})
export type AnalysisSettings = z.infer<typeof analysisSettings>

export const attachmentAnalysis = z.object({
  analysisId: z.int(),
  assetKey: z.uuid(),
  entityId: z.int(),
  eiRecordId: z.int(),
  entityPropertyId: z.int(),
  jobId: z.int().describe('For await_job'),
  state: analysisState,
  reason: reason.optional(),
  ocr: foundText.optional(),
  labels: z.array(foundLabel).optional(),
  model: z.string().nullable(),
  durationMs: z.int().nullable(),
  written: z
    .object({ applied: z.array(z.string()), skipped: z.array(z.object({ property: z.string(), reason: z.string() })) })
    .optional()
    .describe('What came of writing the results into the record'),
  queuedDate: z.iso.datetime(),
  startedDate: z.iso.datetime().optional(),
  finishedDate: z.iso.datetime().optional(),
})
export type AttachmentAnalysis = z.infer<typeof attachmentAnalysis>

export const exampleText = {
  text: 'GATE 4\n',
  words: [
    { text: 'GATE', confidence: 96, box: [120, 80, 410, 160] },
    { text: '4', confidence: 95, box: [440, 80, 490, 160] },
  ],
  language: 'eng',
  confidence: 96,
}

export const exampleAnalysis = {
  analysisId: 9,
  assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
  entityId: 12,
  eiRecordId: 20480,
  entityPropertyId: 31,
  jobId: 44,
  state: 'done',
  ocr: exampleText,
  labels: [{ label: 'airliner', score: 0.92 }],
  model: 'resnet50-imagenet',
  durationMs: 1840,
  written: { applied: ['SignText', 'PhotoLabel'], skipped: [] },
  queuedDate: '2026-11-21T09:30:00.000Z',
  startedDate: '2026-11-21T09:30:00.040Z',
  finishedDate: '2026-11-21T09:30:01.920Z',
} satisfies AttachmentAnalysis

component('FoundText', foundText)
component('FoundLabel', foundLabel)
component('AnalysisSettings', analysisSettings)
component('AttachmentAnalysis', attachmentAnalysis)
