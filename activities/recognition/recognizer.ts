/** The engine's door: recognises text and labels in files, in child processes, within bounds. */
import { AppError, type Issue } from '#platform/errors.ts'
import { recognitionLanguages } from '#platform/shapes/recognition.ts'

import type { ClassifierPaths } from './classify.ts'
import { ensureModels } from './models.ts'
import { createPool, type PoolOptions } from './pool.ts'
import type { RecognitionRequest, RecognitionResult, Recognizer } from './types.ts'

const defaultMinScore = 0.15
const classifierId = 'resnet50-imagenet'
const failureKeptMs = 60_000

/** Starts nothing yet: the first job starts the first child, the first classification fetches the model. Close it when done. */
export function createRecognizer(options: PoolOptions): Recognizer {
  const pool = createPool(options)
  const classifier = rememberedClassifier(options)
  return {
    async recognize(request, { signal, onProgress } = {}) {
      const languages = checkRequest(request)
      signal?.throwIfAborted()
      const found = request.classify ? await classifier() : undefined
      signal?.throwIfAborted()
      if (found instanceof AppError && !request.ocr) throw found
      const { filePath, mimeType, fileName, ocr, minScore = defaultMinScore } = request
      const paths = found === undefined || found instanceof AppError ? undefined : { ...found, modelId: classifierId }
      const result = await pool.run({ filePath, mimeType, fileName, ocr, languages, minScore, classifier: paths }, { signal, onProgress })
      return found instanceof AppError ? withoutLabels(result, found) : result
    },
    stats: () => pool.stats(),
    close: () => pool.close(),
  }
}

function withoutLabels(result: RecognitionResult, error: AppError): RecognitionResult {
  if (result.state !== 'done') return result
  return { ...result, reason: [result.reason, `Labels are missing. ${error.message}`].filter(Boolean).join(' ') }
}

/** The model's files or why they cannot be had. A failure is remembered for a minute, so that a burst of files does not ask a registry that is away each time. */
function rememberedClassifier({ cacheDir, log }: PoolOptions): () => Promise<ClassifierPaths | AppError> {
  let known: Promise<ClassifierPaths | AppError> | undefined
  return () => {
    known ??= ensureModels(cacheDir, log).catch((error: unknown) => {
      setTimeout(() => (known = undefined), failureKeptMs).unref()
      if (error instanceof AppError) return error
      throw error
    })
    return known
  }
}

/** The language data to read with. Throws AppError `invalid_input` that names what there is. */
function checkRequest({ languages, model, minScore, ocr, classify }: RecognitionRequest): readonly string[] {
  const issues: Issue[] = []
  const problem = (path: string, message: string) => issues.push({ path, severity: 'error', message })
  const wanted = [...new Set(languages?.length ? languages : ['eng'])]
  const available: readonly string[] = recognitionLanguages
  for (const [index, language] of wanted.entries())
    if (!available.includes(language))
      problem(`$.languages[${index}]`, `"${language.slice(0, 40)}" is not available. There are ${available.join(', ')}.`)
  if (model !== undefined && model !== 'resnet50') problem('$.model', 'The only model is resnet50.')
  if (minScore !== undefined && !(minScore >= 0 && minScore <= 1)) problem('$.minScore', 'A score is between 0 and 1.')
  if (!ocr && !classify) problem('$', 'Ask for text (ocr), labels (classify) or both.')
  if (issues.length > 0)
    throw new AppError('invalid_input', `Recognition cannot do this. ${issues.map(({ message }) => message).join(' ')}`, { issues })
  return wanted
}
