import type { Domain } from '#platform/operation.ts'

import { classifyImage } from './classify-image.ts'
import { getAttachmentAnalysis } from './get-attachment-analysis.ts'
import { intelligencePhrases } from './intelligence.phrases.ts'
import { listModels } from './list-models.ts'
import { recognizeText } from './recognize-text.ts'
import { rerunAttachmentAnalysis } from './rerun-attachment-analysis.ts'
import { setAttachmentAnalysis } from './set-attachment-analysis.ts'

export const intelligenceDomain: Domain = {
  name: 'intelligence',
  title: 'Intelligence',
  summary: 'Text and labels recognised in photographs, scans and PDFs: now, or whenever a file is saved in a record.',
  operations: [listModels, recognizeText, classifyImage, setAttachmentAnalysis, getAttachmentAnalysis, rerunAttachmentAnalysis],
  phrases: intelligencePhrases,
}
