/** What a child process does with one file: finds out what it is, reads it, and says why not where it cannot. */
import { stat } from 'node:fs/promises'

import type { Classifier, ClassifierPaths } from './classify.ts'
import { openPicture, type Picture } from './image.ts'
import { joinTexts, keepText, mostWorkOnPicture, type PdfPage } from './pages.ts'
import { readPage, type Engines } from './read-page.ts'
import { createSceneReader } from './scene-text.ts'
import { sniffFile, type FileKind } from './sniff.ts'
import { ensureTessdata } from './tessdata.ts'
import { createTesseract } from './tesseract.ts'
import { limits, type RecognitionProgress, type RecognitionResult } from './types.ts'
import { failed, skipped, Unreadable } from './unreadable.ts'

/** A request as the child gets it: checked, with its defaults filled in. */
export interface Job {
  readonly filePath: string
  readonly mimeType?: string | undefined
  readonly fileName?: string | undefined
  readonly ocr: boolean
  readonly languages: readonly string[]
  readonly minScore: number
  /** Absent where no labels are asked for, or where the model could not be had. */
  readonly classifier?: (ClassifierPaths & { readonly modelId: string }) | undefined
  /** Of a PDF: how many pages are read, and those that an earlier process passed already. */
  readonly pdfPages: number
  readonly passed: readonly PdfPage[]
  /** Work on them that brought no text. */
  readonly wastedMs: number
  /** Hard limit of opening a page. */
  readonly pageSeconds: number
  /** The child plans its reading for this time; its parent ends it some time later. */
  readonly withinMs: number
}

/** The file could not be opened, which says nothing about what is in it. */
export class FileGone extends Error {
  override readonly name = 'FileGone'
}

/** What a child tells while it reads. */
export interface Listener {
  readonly onProgress: (progress: RecognitionProgress) => void
  /** Each page of a PDF when it is passed. */
  readonly onPage: (page: PdfPage) => void
}

/** The engines, loaded at their first use and kept from job to job. One job at a time. */
export interface Reader {
  /** Resolves for every file. Throws FileGone, or what broken machinery throws. */
  read(job: Job, listener: Listener): Promise<RecognitionResult>
}

/** Fills the folder of language data in the cache and loads no engine yet: each is imported with the first file that needs it. */
export async function createReader(cacheDir: string): Promise<Reader> {
  const engines: Engines = { tesseract: createTesseract(await ensureTessdata(cacheDir)), scenes: createSceneReader() }
  let loaded: { readonly modelPath: string; readonly classifier: Classifier } | undefined
  const classifierFor = async (paths: ClassifierPaths): Promise<Classifier> => {
    if (loaded?.modelPath === paths.modelPath) return loaded.classifier
    const { loadClassifier } = await import('./classify.ts')
    loaded = { modelPath: paths.modelPath, classifier: await loadClassifier(paths) }
    return loaded.classifier
  }

  const read = async (job: Job, deadline: number, { onProgress, onPage }: Listener): Promise<Omit<RecognitionResult, 'durationMs'>> => {
    onProgress({ stage: 'reading' })
    const { kind, sizeBytes } = await look(job)
    const left = () => deadline - performance.now()
    if (kind === 'pdf') {
      if (!job.ocr) throw skipped('A PDF has no labels; only its text can be read.')
      const { readPdf } = await import('./pdf.ts')
      const { reason, ...found } = await readPdf(job.filePath, engines, {
        ...job,
        withinMs: left(),
        onOpening: (at) => onProgress({ stage: 'opening', ...at }),
        onOpened: (number, total) => onProgress({ stage: 'text', done: number - 1, total }),
        onPage(page, done, total) {
          onPage(page)
          onProgress({ stage: 'text', done, total })
        },
      })
      const missing = [reason, job.classifier ? 'Labels are given for pictures only.' : undefined].filter(
        (sentence) => sentence !== undefined,
      )
      return { ...found, ...(missing.length > 0 ? { reason: missing.join(' ') } : {}) }
    }
    onProgress({ stage: 'opening' })
    const picture: Picture = await openPicture(job.filePath, kind, sizeBytes)
    const labels = job.classifier ? await labelsOf(picture, job.classifier, job.minScore, onProgress) : undefined
    if (!job.ocr) return { state: 'done', ...labels }
    onProgress({ stage: 'text' })
    const lines = await readPage(picture, engines, {
      languages: job.languages,
      withinMs: left(),
      workMs: mostWorkOnPicture(job.pageSeconds),
    })
    return { state: 'done', ocr: joinTexts([keepText(lines)], job.languages), ...labels }
  }

  const labelsOf = async (
    picture: Picture,
    paths: NonNullable<Job['classifier']>,
    minScore: number,
    onProgress: (progress: RecognitionProgress) => void,
  ) => {
    onProgress({ stage: 'labels' })
    const classifier = await classifierFor(paths)
    return { labels: await classifier.classify(picture.raster, minScore), model: paths.modelId }
  }

  return {
    async read(job, listener) {
      const startedAt = performance.now()
      const outcome = await read(job, startedAt + job.withinMs, listener).catch((error: unknown) => {
        if (error instanceof Unreadable) return { state: error.state, reason: error.message }
        throw error
      })
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
    },
  }
}

/** The kind of a file that can be read. Throws Unreadable for every other, and FileGone where there is none. */
async function look(job: Job): Promise<{ kind: 'image' | 'heif' | 'svg' | 'pdf'; sizeBytes: number }> {
  const opened = stat(job.filePath).then(async ({ size }) => ({ size, found: await sniffFile(job.filePath, job) }))
  const { size, found } = await opened.catch((error: unknown) => {
    throw error instanceof Error && 'code' in error ? new FileGone(error.message) : error
  })
  if (size > limits.fileBytes) throw failed(`The file is too large: at most ${limits.fileBytes / 1024 / 1024} MiB can be read.`)
  return { kind: readableKind(found), sizeBytes: size }
}

function readableKind(found: FileKind): 'image' | 'heif' | 'svg' | 'pdf' {
  switch (found.kind) {
    case 'image':
    case 'heif':
    case 'svg':
    case 'pdf':
      return found.kind
    case 'empty':
      throw failed('The file is empty.')
    case 'text':
      throw skipped('The file is text already; there is nothing to recognise in it.')
    case 'other':
      throw skipped(`The file is ${found.noun} (${found.mimeType}), which recognition does not read.`)
    default:
      return found satisfies never
  }
}
