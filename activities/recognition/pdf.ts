/** Reads PDFs: the text that a page carries, else the page drawn as a picture and read like one. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'

import { after, type Affine, mapBox } from './geometry.ts'
import { fromRaster, toRaster, type Picture } from './image.ts'
import { concludePdf, keepText, mostWastedMs, mostWorkOnDrawn, type PdfPage, worthMs } from './pages.ts'
import { readPage, splitLine, type Engines, type FoundWord, type PageText, type ReadOptions } from './read-page.ts'
import { limits, type RecognitionResult } from './types.ts'
import { failed } from './unreadable.ts'
import { workMs } from './work.ts'

export interface PdfOptions {
  readonly languages: readonly string[]
  /** At most so many pages are read, from the first. */
  readonly pdfPages: number
  /** Pages that an earlier process passed already. */
  readonly passed: readonly PdfPage[]
  readonly wastedMs: number
  readonly withinMs: number
  readonly pageSeconds: number
  /** Before the file, and each page, is opened, which hostile ones never come back from: whoever waits keeps the time. */
  readonly onOpening: (at?: { readonly page: number; readonly all: number }) => void
  readonly onOpened: (number: number, planned: number) => void
  readonly onPage: (page: PdfPage, done: number, planned: number) => void
}

/** A page with fewer letters than this of its own is a scan with a stamp. */
const lettersOfText = 20
const pointsPerInch = 72
/** No page but the first is begun with less time than this left. */
const leastPageMs = 5_000

const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
const folder = (name: string) => join(packageFolder, name) + sep

/** Throws Unreadable for a PDF that is locked or broken. */
export async function readPdf(filePath: string, engines: Engines, options: PdfOptions): Promise<Omit<RecognitionResult, 'durationMs'>> {
  const { languages, pdfPages, passed, withinMs, pageSeconds, onOpening, onOpened, onPage } = options
  const deadline = performance.now() + withinMs
  const mostWasted = mostWastedMs(pageSeconds)
  let wasted = options.wastedMs
  onOpening()
  // A first page is not to blame for what the engine takes to start.
  const workOnPages = () => workMs() - engines.tesseract.startMs
  let begun = workOnPages()
  const document = await openPdf(filePath)
  try {
    const all = document.numPages
    const planned = Math.min(all, pdfPages)
    const pages = [...passed]
    let isLate = false
    for (let number = passed.length + 1; number <= planned && wasted < mostWasted; number++) {
      isLate = number > 1 && deadline - performance.now() < leastPageMs
      if (isLate) break
      onOpening({ page: number, all })
      const content = await openPage(document, number, mostWorkOnDrawn(wasted, pageSeconds) > 0)
      onOpened(number, planned)
      const work = mostWorkOnDrawn(wasted, pageSeconds) - (workOnPages() - begun)
      const lines = await linesOf(content, engines, { languages, withinMs: deadline - performance.now(), workMs: work })
      const kept = keepText(lines, pages, number)
      const wastedMs = Math.max(0, workOnPages() - begun - (content.outcome === 'drawn' ? worthMs(kept.letters) : 0))
      begun = workOnPages()
      wasted += wastedMs
      const page: PdfPage = { ...kept, outcome: content.outcome === 'drawn' ? 'read' : content.outcome, wastedMs }
      pages.push(page)
      onPage(page, number, planned)
    }
    return concludePdf({ pages, all, planned, languages, pageSeconds, isLate })
  } finally {
    await document.loadingTask.destroy()
  }
}

/** A page's pixels lie outside V8's heap and do not have it collect them: fifty large pages would fill the memory. */
async function giveBack(): Promise<void> {
  globalThis.gc?.()
  await setImmediate()
}

async function openPdf(filePath: string): Promise<PDFDocumentProxy> {
  const data = new Uint8Array(await readFile(filePath))
  try {
    return await getDocument({
      data,
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      maxImageSize: limits.pixels,
      verbosity: VerbosityLevel.ERRORS,
      cMapUrl: folder('cmaps'),
      standardFontDataUrl: folder('standard_fonts'),
      wasmUrl: folder('wasm'),
      iccUrl: folder('iccs'),
    }).promise
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw failed('The PDF is encrypted: it opens only with a password.')
    throw failed('The PDF is broken.', error)
  }
}

type PageContent =
  | { readonly outcome: 'read'; readonly own: PageText }
  | { readonly outcome: 'drawn'; readonly picture: Picture }
  | { readonly outcome: 'notDrawn' | 'broken' }

/** What a page has to read: its own words, or its picture where it carries next to none. */
async function openPage(document: PDFDocumentProxy, number: number, mayDraw: boolean): Promise<PageContent> {
  try {
    const page = await document.getPage(number)
    const own = await ownText(page)
    const letters = own.reduce((sum, line) => sum + line.reduce((count, word) => count + word.text.length, 0), 0)
    if (letters >= lettersOfText) return { outcome: 'read', own }
    if (!mayDraw) return { outcome: 'notDrawn' }
    const picture = await drawPage(document, page)
    await giveBack()
    page.cleanup()
    return picture ? { outcome: 'drawn', picture } : { outcome: 'read', own }
  } catch {
    // One page with a bad stream is no reason to lose the others.
    return { outcome: 'broken' }
  }
}

async function linesOf(content: PageContent, engines: Engines, options: ReadOptions): Promise<PageText> {
  switch (content.outcome) {
    case 'read':
      return content.own
    case 'drawn':
      return readPage(content.picture, engines, options)
    case 'notDrawn':
    case 'broken':
      return []
    default:
      return content satisfies never
  }
}

/** A matrix as PDF writes it. */
function affineOf([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): Affine {
  return [a, c, e, b, d, f]
}

/** From the start of a line of writing, along and above its baseline, to the sheet. The size of the letters is in the lengths already. */
function baselineOf([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): Affine {
  const [along, above] = [Math.hypot(a, b) || 1, Math.hypot(c, d) || 1]
  return affineOf([a / along, b / along, c / above, d / above, e, f])
}

/** The words that the page carries, in the order it carries them, in points from the top left. */
async function ownText(page: PDFPageProxy): Promise<PageText> {
  const { width, height, transform } = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const lines: FoundWord[][] = [[]]
  for (const item of items) {
    if (!('str' in item)) continue
    // A line is split along its own baseline: in the file it may run in any direction, and the page may be shown turned.
    const toPage = after(affineOf(transform), baselineOf(item.transform))
    const words = splitLine({ text: item.str, confidence: 100, box: [0, 0, item.width, item.height] })
    lines.at(-1)?.push(...words.map((word) => ({ ...word, box: mapBox(toPage, word.box, width, height) })))
    if (item.hasEOL) lines.push([])
  }
  return lines.filter((line) => line.length > 0)
}

/** Undefined where the page is of one colour, so that nothing can be read: a file of thousands of empty pages costs little. */
async function drawPage(document: PDFDocumentProxy, page: PDFPageProxy): Promise<Picture | undefined> {
  const { width, height } = page.getViewport({ scale: 1 })
  const wanted = limits.pdfDpi / pointsPerInch
  const scale = Math.min(wanted, Math.sqrt(limits.pdfPagePixels / (width * height)))
  const viewport = page.getViewport({ scale })
  const [pixelsWide, pixelsHigh] = [Math.max(1, Math.floor(viewport.width)), Math.max(1, Math.floor(viewport.height))]
  // The document's own factory: another copy of the canvas package in the same process ends it.
  const factory: unknown = document.canvasFactory
  if (!isCanvasFactory(factory)) throw new Error('The PDF engine has no canvas.')
  const target = factory.create(pixelsWide, pixelsHigh)
  try {
    await page.render({ canvas: null, canvasContext: target.context, viewport, background: '#fff' }).promise
    const { data } = target.context.getImageData(0, 0, pixelsWide, pixelsHigh)
    const pixels = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4)
    const [first] = pixels
    if (pixels.every((pixel) => pixel === first)) return undefined
    const drawn = {
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
      width: pixelsWide,
      height: pixelsHigh,
      channels: 4 as const,
    }
    const raster = await toRaster(fromRaster(drawn).flatten({ background: '#fff' }).removeAlpha())
    return { raster, width: Math.round(width), height: Math.round(height) }
  } finally {
    factory.destroy(target)
  }
}

/** The part of pdfjs's canvas factory that is used; its type says Object. */
interface CanvasFactory {
  create(
    width: number,
    height: number,
  ): {
    readonly canvas: unknown
    readonly context: { getImageData(x: number, y: number, w: number, h: number): { readonly data: Uint8ClampedArray } }
  }
  destroy(target: unknown): void
}

const isCanvasFactory = (value: unknown): value is CanvasFactory =>
  typeof value === 'object' && value !== null && 'create' in value && 'destroy' in value
