/** Reads PDFs: the text that a page carries, else the page drawn as a picture and read like one. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'

import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'

import { after, type Affine, mapBox } from './geometry.ts'
import { fromRaster, toRaster, type Picture } from './image.ts'
import { readPage, splitLine, type Engines, type FoundWord, type PageText } from './read-page.ts'
import { limits } from './types.ts'
import { failed } from './unreadable.ts'

export interface PdfText {
  /** A broken page is empty. */
  readonly pages: readonly PageText[]
  /** What was left out and why; absent where nothing was. */
  readonly reason?: string
}

export interface PdfOptions {
  readonly languages: readonly string[]
  /** At most so many pages are read, from the first. */
  readonly pdfPages: number
  /** Pages that an earlier try did not get past. */
  readonly leftOut: readonly number[]
  readonly withinMs: number
  /** Before the file, and each page, is opened, which hostile ones never come back from: whoever waits keeps the time. */
  readonly onOpening: (page?: number) => void
  readonly onPage: (done: number, total: number) => void
}

/** A page with fewer letters than this of its own is a scan with a stamp. */
const lettersOfText = 20
const pointsPerInch = 72
/** No page but the first is begun with less time than this left. */
const leastPageMs = 5_000

const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
const folder = (name: string) => join(packageFolder, name) + sep

/** Throws Unreadable for a PDF that is locked or broken. */
export async function readPdf(filePath: string, engines: Engines, options: PdfOptions): Promise<PdfText> {
  const { languages, pdfPages, leftOut, withinMs, onOpening, onPage } = options
  const deadline = performance.now() + withinMs
  onOpening()
  const document = await openPdf(filePath)
  try {
    const total = Math.min(document.numPages, pdfPages)
    const pages: PageText[] = []
    const broken: number[] = []
    for (let number = 1; number <= total; number++) {
      const left = deadline - performance.now()
      if (number > 1 && left < leastPageMs) break
      onOpening(number)
      const content = leftOut.includes(number) ? undefined : await openPage(document, number)
      onPage(number - 1, total)
      if (content === undefined && !leftOut.includes(number)) broken.push(number)
      pages.push(
        content === undefined ? [] : 'own' in content ? content.own : await readPage(content.drawn, engines, { languages, withinMs: left }),
      )
      onPage(number, total)
    }
    if (leftOut.length > 0 && broken.length + leftOut.length >= total)
      throw failed('None of the pages of the PDF opens in the time that a page may take.')
    if (broken.length === total) throw failed('The PDF is broken: none of its pages can be read.')
    const reason = whatIsMissing({ read: pages.length, planned: total, all: document.numPages, broken, leftOut })
    return { pages, ...(reason === undefined ? {} : { reason }) }
  } finally {
    await document.loadingTask.destroy()
  }
}

function whatIsMissing({
  read,
  planned,
  all,
  broken,
  leftOut,
}: {
  read: number
  planned: number
  all: number
  broken: readonly number[]
  leftOut: readonly number[]
}): string | undefined {
  const sentences: string[] = []
  if (read < planned) sentences.push(`Only the first ${read} of ${all} pages were read in the time that one file may take.`)
  else if (read < all) sentences.push(`Only the first ${read} of ${all} pages were read; that is the most for one file.`)
  if (broken.length > 0) sentences.push(`Broken pages were left out: ${broken.join(', ')}.`)
  if (leftOut.length > 0) sentences.push(`Pages that take too long to open were left out: ${leftOut.join(', ')}.`)
  return sentences.length > 0 ? sentences.join(' ') : undefined
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

/** What a page has to read: its own words, or its picture where it carries next to none. Undefined where the page is broken. */
async function openPage(document: PDFDocumentProxy, number: number): Promise<{ own: PageText } | { drawn: Picture } | undefined> {
  try {
    const page = await document.getPage(number)
    const own = await ownText(page)
    const letters = own.reduce((sum, line) => sum + line.reduce((count, word) => count + word.text.length, 0), 0)
    const drawn = letters >= lettersOfText ? undefined : await drawPage(document, page)
    page.cleanup()
    return drawn ? { drawn } : { own }
  } catch {
    // One page with a bad stream is no reason to lose the others.
    return undefined
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
