/** The tesseract engine, with its traps closed: promises that never settle, error events that end the process, strings that are fetched. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { createWorker, OEM, type Worker } from 'tesseract.js'

import type { Box } from './geometry.ts'
import { orientationDataPath } from './tessdata.ts'
import { workMs } from './work.ts'

/** What tesseract read on one page, in the pixels of the picture it was given. */
export interface TesseractPage {
  readonly text: string
  /** 0 to 100, tesseract's own mean. */
  readonly confidence: number
  /** In reading order; `line` counts the lines of the page. */
  readonly words: readonly { readonly text: string; readonly confidence: number; readonly box: Box; readonly line: number }[]
}

/** How long a call may take, and how much this process may work meanwhile. */
export interface Span {
  readonly withinMs: number
  readonly workMs: number
}

export interface Tesseract {
  /** Work that starting the engine has taken so far. */
  readonly startMs: number
  /** Reads a PNG. Undefined where it took more than its span; the engine is then started anew at the next call. */
  read(png: Buffer, languages: readonly string[], span: Span): Promise<TesseractPage | undefined>
  /** By how many degrees (0, 90, 180, 270, clockwise) the picture must be turned to stand upright; undefined where it cannot tell. */
  findTurn(png: Buffer, span: Span): Promise<number | undefined>
}

const startWithinMs = 30_000
/** Below this the orientation model guesses: on pages it was sure by 12 and more, on scenes by 1 and less. */
const fewestTurnConfidence = 3

const measureEveryMs = 200

/** Settles within the span whatever the promise does; undefined is the late answer. */
async function within<T>(promise: Promise<T>, span: Span): Promise<T | undefined> {
  const timers: NodeJS.Timeout[] = []
  const mostWork = workMs() + span.workMs
  const late = new Promise<undefined>((resolve) => {
    timers.push(setTimeout(() => resolve(undefined), Math.max(0, span.withinMs)))
    timers.push(setInterval(() => (workMs() >= mostWork ? resolve(undefined) : undefined), measureEveryMs))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Starts nothing yet. `langPath` holds `<language>.traineddata.gz`. One call at a time. */
export function createTesseract(langPath: string): Tesseract {
  let startMs = 0
  let reader: { readonly languages: string; readonly worker: Worker } | undefined
  let compass: Worker | undefined

  const start = async (languages: string, folder: string, isCompass: boolean): Promise<Worker> => {
    // A missing file leaves createWorker waiting for ever.
    await Promise.all(languages.split('+').map((language) => stat(join(folder, `${language}.traineddata.gz`))))
    const legacy = isCompass ? { legacyCore: true, legacyLang: true } : {}
    const begun = workMs()
    const worker = await within(
      createWorker(languages, isCompass ? OEM.TESSERACT_ONLY : OEM.LSTM_ONLY, {
        ...legacy,
        langPath: folder,
        gzip: true,
        // The default writes the unpacked data into the working directory.
        cacheMethod: 'none',
        // Without a handler a picture that it cannot read raises an uncaught exception.
        errorHandler: () => {},
      }),
      { withinMs: startWithinMs, workMs: Infinity },
    )
    if (!worker) throw new Error(`The text recognition engine did not start within ${startWithinMs / 1000} s.`)
    startMs += workMs() - begun
    return worker
  }

  const drop = async (worker: Worker | undefined) => {
    if (worker === reader?.worker) reader = undefined
    if (worker === compass) compass = undefined
    await worker?.terminate()
  }

  /** A job of a terminated worker never settles, so its promise is left behind with the worker. */
  const run = async <T>(worker: Worker, job: Promise<T>, span: Span): Promise<T | undefined> => {
    const settled = job.then(
      (value) => ({ value }),
      // Rejections are strings that speak of pixels; the picture came from our own encoder, so the page simply has nothing to read.
      () => ({ value: undefined }),
    )
    const outcome = await within(settled, span)
    if (!outcome) await drop(worker)
    return outcome?.value
  }

  return {
    get startMs() {
      return startMs
    },
    async read(png, languages, span) {
      const wanted = languages.join('+')
      if (reader && reader.languages !== wanted) await drop(reader.worker)
      reader ??= { languages: wanted, worker: await start(wanted, langPath, false) }
      const { worker } = reader
      const result = await run(worker, worker.recognize(png, {}, { text: true, blocks: true }), span)
      if (!result) return undefined
      let line = -1
      const lines = (result.data.blocks ?? []).flatMap((block) => block.paragraphs.flatMap((paragraph) => paragraph.lines))
      const words = lines.flatMap((item) => {
        line++
        return item.words.map(({ text, confidence, bbox }) => ({
          text,
          confidence,
          line,
          box: [bbox.x0, bbox.y0, bbox.x1, bbox.y1] as const,
        }))
      })
      return { text: result.data.text, confidence: result.data.confidence, words }
    },
    async findTurn(png, span) {
      compass ??= await start('osd', orientationDataPath(), true)
      const result = await run(compass, compass.detect(png), span)
      const { orientation_degrees: degrees, orientation_confidence: confidence } = result?.data ?? {}
      return typeof degrees === 'number' && (confidence ?? 0) >= fewestTurnConfidence ? degrees : undefined
    },
  }
}
