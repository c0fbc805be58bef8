/** Files that are made to hold their reader up: each ends with a true reason, within its limit, while this process goes on. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readPdf } from '#activities/recognition/pdf.ts'
import { createRecognizer } from '#activities/recognition/recognizer.ts'
import type { Tesseract } from '#activities/recognition/tesseract.ts'
import type { RecognitionOptions, RecognitionResult, Recognizer } from '#activities/recognition/types.ts'
import { workMs } from '#activities/recognition/work.ts'
import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'

import { fixture, pngBomb, scannedPdf, stream, textPdf, writePdf } from './recognition-files.ts'

import { longestTurn, turnLimitMs } from '../support/turns.ts'

const { cacheDir } = loadConfig({ XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] })
const timeoutSeconds = 100
const slow = 180_000

let folder = ''
let recognizer: Recognizer
const others: Recognizer[] = []

/** One with settings of its own. */
function another(options: Partial<Parameters<typeof createRecognizer>[0]>): Recognizer {
  const made = createRecognizer({ cacheDir, workers: 1, timeoutSeconds, log: createLog('silent'), ...options })
  others.push(made)
  return made
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recognition-hostile-'))
  recognizer = createRecognizer({ cacheDir, workers: 1, timeoutSeconds, pageSeconds: 4, pdfPages: 20, log: createLog('silent') })
})
afterAll(async () => {
  await Promise.all([recognizer, ...others].map((each) => each.close()))
  await rm(folder, { recursive: true, force: true })
})

/** Reads the file, and fails where this process could do nothing else meanwhile. */
async function read(
  content: string | Buffer,
  reader = recognizer,
  options: RecognitionOptions = {},
  within = timeoutSeconds,
): Promise<RecognitionResult> {
  const filePath = join(folder, crypto.randomUUID())
  await writeFile(filePath, content)
  const { result, ms } = await longestTurn(() => reader.recognize({ filePath, ocr: true, classify: false }, options))
  expect(ms).toBeLessThan(10 * turnLimitMs)
  expect(result.durationMs).toBeLessThan((within + 30) * 1000)
  return result
}

function onePage(page: string, others: readonly (string | Buffer)[] = []): Buffer {
  const objects: (string | Buffer)[] = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page]
  return writePdf(objects.concat(others))
}
const sheet = '/Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]'

/** A form that draws the next one ten times, and so on: some hundred bytes a level, ten million drawings. */
function nestedForms(levels: number, first: number): (string | Buffer)[] {
  return Array.from({ length: levels }, (_, level) => {
    const next = level === levels - 1 ? '' : `/XObject << /F ${first + 1 + level} 0 R >>`
    const content = level === levels - 1 ? '0 0 9 9 re f' : '/F Do '.repeat(10)
    return stream(`/Type /XObject /Subtype /Form /BBox [0 0 200 200] /Resources << ${next} >>`, content)
  })
}

/** Pages in their order: each its content, as numbered pages with the resources that all share. */
function pagesOf(contents: readonly string[], resources: string, shared: readonly (string | Buffer)[], box = '0 0 200 200'): Buffer {
  const first = 3 + shared.length
  const kids = contents.map((_, index) => `${first + 2 * index} 0 R`).join(' ')
  const pages = contents.flatMap((content, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents ${first + 2 * index + 1} 0 R /Resources << ${resources} >> >>`,
    stream('', content),
  ])
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`
  return writePdf(['<< /Type /Catalog /Pages 2 0 R >>', tree, ...shared, ...pages])
}
const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const saying = (text: string) => `BT /F1 12 Tf 20 160 Td (${text}) Tj ET`
const repeated = (count: number, content: string): string[] => Array.from({ length: count }, () => content)

describe('a PDF', () => {
  it('of which page after page does not open is ended after two, with the text so far', { timeout: slow }, async () => {
    const bombs = repeated(10, '/F Do '.repeat(10))
    const withForms = pagesOf([saying('The page before the others is read'), ...bombs], '/Font << /F1 3 0 R >> /XObject << /F 4 0 R >>', [
      helvetica,
      ...nestedForms(7, 4),
    ])
    const result = await read(withForms)
    expect(result).toMatchObject({
      state: 'done',
      reason:
        'Reading ended after page 3 of 11: 8 s of work brought too little text. Pages that do not open in the time and memory of a page were left out: 2, 3.',
      ocr: { text: expect.stringContaining('The page before the others is read'), pages: 3 },
    })
    // Of all three processes, not of the last alone.
    expect(result.durationMs).toBeGreaterThan(7_900)
    expect(result.durationMs).toBeLessThan(60_000)
    const forms = await read(pagesOf(bombs, '/XObject << /F 3 0 R >>', nestedForms(7, 3)))
    expect(forms).toMatchObject({ state: 'failed', reason: 'Reading was stopped: after 8 s none of the pages of the PDF had opened.' })
  })

  it('of grain on every page is not read to its end, and the text behind the grain is', { timeout: 2 * slow }, async () => {
    let seed = 7
    const noise = Buffer.from(Array.from({ length: 1_600 * 1_600 }, () => (seed = (seed * 1664525 + 1013904223) % 2 ** 32) / 2 ** 24))
    const jpeg = await sharp(noise, { raw: { width: 1_600, height: 1_600, channels: 1 } })
      .jpeg({ quality: 60 })
      .toBuffer()
    const grain = '/Type /XObject /Subtype /Image /Width 1600 /Height 1600 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode'
    const drawn = repeated(18, 'q 842 0 0 842 0 0 cm /Grain Do Q')
    const resources = '/Font << /F1 3 0 R >> /XObject << /Grain 4 0 R >>'
    const pdf = pagesOf(
      [...drawn, saying('Behind all the grain there is some writing')],
      resources,
      [helvetica, stream(grain, jpeg)],
      '0 0 842 842',
    )
    const result = await read(pdf, another({ timeoutSeconds: 200 }), {}, 200)
    expect(result).toMatchObject({
      state: 'done',
      reason: expect.stringMatching(/^Pages that are pictures were left out, after others without text: \d+ to 18\.$/),
      ocr: { text: expect.stringContaining('Behind all the grain there is some writing'), pages: 19 },
    })
  })

  it('of scanned sheets is read whole, however much longer than what may be wasted it takes', { timeout: slow }, async () => {
    const filePath = join(folder, 'sheets.pdf')
    await writeFile(filePath, await scannedPdf(fixture('german.png'), 6))
    const asRead = async (text: string) => {
      const words = text === '' ? [] : [{ text, confidence: 95, line: 0, box: [0, 0, 10, 10] as const }]
      const tesseract: Tesseract = {
        startMs: 0,
        async read() {
          const begun = workMs()
          while (workMs() - begun < 700);
          return { text, confidence: words.length === 0 ? 0 : 95, words }
        },
        findTurn: async () => undefined,
      }
      return readPdf(
        filePath,
        { tesseract, scenes: { read: async () => [] } },
        {
          languages: ['eng'],
          pdfPages: 50,
          passed: [],
          wastedMs: 0,
          withinMs: 170_000,
          pageSeconds: 1.5,
          onOpening: () => {},
          onOpened: () => {},
          onPage: () => {},
        },
      )
    }
    expect(await asRead('word'.repeat(1_000))).toEqual({ state: 'done', ocr: expect.objectContaining({ pages: 6 }) })
    expect((await asRead('')).reason).toMatch(/brought too little text|pictures were left out/)
  })

  it('of sheets full of small print is read whole', { timeout: 2 * slow }, async () => {
    const block = await sharp(fixture('page.png'))
      .extract({ left: 100, top: 320, width: 920, height: 700 })
      .resize({ width: 1_100, height: 837 })
      .toBuffer()
    const places = [0, 1, 2, 3].flatMap((row) =>
      [0, 1].map((column) => ({ input: block, left: 100 + column * 1_150, top: 60 + row * 837 })),
    )
    const path = join(folder, 'dense.png')
    await sharp({ create: { width: 2_480, height: 3_508, channels: 3, background: '#fff' } })
      .composite(places)
      .png()
      .toFile(path)
    // Together they take longer than a reading may that brings no text.
    const result = await read(await scannedPdf(path, 2), another({ timeoutSeconds: 200 }), {}, 200)
    expect(result.reason).toBeUndefined()
    expect(result.ocr?.text.match(/gasket/g)?.length).toBeGreaterThanOrEqual(2 * 7)
  })

  it.skipIf(process.platform !== 'linux')('of huge pages gives the memory of each back', { timeout: slow }, async () => {
    const narrow = another({ memoryMiB: 600 })
    const result = await read(pagesOf(repeated(12, ''), '', [], '0 0 14400 14400'), narrow)
    expect(result).toMatchObject({ state: 'done', ocr: { pages: 12 } })
    expect(result.reason).toBeUndefined()
  })

  /** Of three pages, the second of which never opens, so that its process is still at it when it is ended. */
  function stuckAtTwo(): Buffer {
    const font = '/Resources << /Font << /F1 6 0 R >> >>'
    return writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>',
      `<< ${sheet} /Contents 14 0 R ${font} >>`,
      `<< ${sheet} /Contents 15 0 R /Resources << /XObject << /F 7 0 R >> >> >>`,
      `<< ${sheet} /Contents 16 0 R ${font} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...nestedForms(7, 7),
      stream('', 'BT /F1 12 Tf 20 160 Td (The text of page one is here) Tj ET'),
      stream('', '/F Do '.repeat(10)),
      stream('', 'BT /F1 12 Tf 20 160 Td (The text of page three is here) Tj ET'),
    ])
  }

  it('keeps the pages already read where the next process ends before it says how many there are', { timeout: slow }, async () => {
    const shaky = another({})
    const killedAt: string[] = []
    const result = await read(stuckAtTwo(), shaky, {
      onProgress({ stage, page }) {
        const [child] = shaky.stats().children
        const isSecond = killedAt.length === 1 && stage === 'opening' && page === undefined
        if (!child || !(isSecond || page === 2)) return
        killedAt.push(page === undefined ? 'opening' : `page ${page}`)
        process.kill(child.pid, 'SIGKILL')
      },
    })
    expect(killedAt).toEqual(['page 2', 'opening', 'page 2'])
    expect(result).toMatchObject({
      state: 'done',
      reason: 'Pages that do not open in the time and memory of a page were left out: 2.',
      ocr: { text: expect.stringMatching(/page one[^]*page three/), pages: 3 },
    })
  })

  it('of which a page ends two processes loses no other page', { timeout: slow }, async () => {
    const shaky = another({})
    const killed: number[] = []
    const result = await read(stuckAtTwo(), shaky, {
      onProgress({ page }) {
        const [child] = shaky.stats().children
        if (page !== 2 || !child) return
        killed.push(child.pid)
        process.kill(child.pid, 'SIGKILL')
      },
    })
    expect(new Set(killed).size).toBe(2)
    expect(result).toMatchObject({
      state: 'done',
      reason: 'Pages that do not open in the time and memory of a page were left out: 2.',
      ocr: { text: expect.stringMatching(/page one[^]*page three/), pages: 3 },
    })
  })

  it('whose one page never opens fails after the time of a page', { timeout: slow }, async () => {
    const page = `<< ${sheet} /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>`
    const bomb = onePage(page, [stream('', '/F Do '.repeat(10)), ...nestedForms(7, 5)])
    expect(bomb.length).toBeLessThan(4_000)
    const result = await read(bomb)
    expect(result).toMatchObject({ state: 'failed', reason: 'None of the pages of the PDF opens in the time that a page may take.' })
    expect(result.durationMs).toBeLessThan(60_000)
  })

  it('of which one page never opens keeps the others, and says which is missing', { timeout: slow }, async () => {
    const font = '/Resources << /Font << /F1 5 0 R >> >>'
    const pdf = writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
      `<< ${sheet} /Contents 13 0 R /Resources << /XObject << /F 6 0 R >> >> >>`,
      `<< ${sheet} /Contents 14 0 R ${font} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...nestedForms(7, 6),
      stream('', '/F Do '.repeat(10)),
      stream('', 'BT /F1 12 Tf 20 160 Td (The second page is read) Tj ET'),
    ])
    const result = await read(pdf)
    expect(result).toMatchObject({
      state: 'done',
      reason: 'Pages that do not open in the time and memory of a page were left out: 1.',
      ocr: { text: expect.stringContaining('The second page is read') },
    })
  })

  it('of thousands of pages is read as far as it may be, and says so', { timeout: slow }, async () => {
    const many = Array.from({ length: 6_000 }, (_, index) => [`Page ${index + 1} has a longer text of its own`])
    const result = await read(textPdf(many))
    expect(result).toMatchObject({
      state: 'done',
      ocr: { pages: 20 },
      reason: 'Only the first 20 of 6000 pages were read; that is the most for one file.',
    })
    const empty = await read(textPdf(many.map(() => [])))
    expect(empty).toMatchObject({ state: 'done', ocr: { text: expect.stringMatching(/^\s*$/), pages: 20 } })
  })

  it.each([
    [
      'with a circle of pages',
      () =>
        writePdf([
          '<< /Type /Catalog /Pages 2 0 R >>',
          '<< /Type /Pages /Kids [3 0 R] /Count 100000 >>',
          '<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 100000 >>',
        ]),
      'failed',
    ],
    [
      'with a form that draws itself',
      () =>
        onePage(`<< ${sheet} /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>`, [
          stream('', '/F Do'),
          stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>', '/F Do /F Do'),
        ]),
      'done',
    ],
    [
      'of a few hundred thousand objects',
      () =>
        onePage(
          `<< ${sheet} >>`,
          Array.from({ length: 300_000 }, () => '0'),
        ),
      'done',
    ],
    ['nested hundreds of thousands deep', () => onePage(`<< ${sheet} /X ${'['.repeat(300_000)}${']'.repeat(300_000)} >>`), 'failed'],
  ] as const)('%s comes to an end', { timeout: slow }, async (_what, make, state) => {
    const result = await read(make())
    expect(result.state).toBe(state)
    expect(state === 'done' || (result.reason ?? '').length > 10).toBe(true)
  })
})

describe('a picture', () => {
  it('that never opens is ended', { timeout: slow }, async () => {
    const clouds = '<feTurbulence baseFrequency="0.9" numOctaves="200"/>'.repeat(60)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f" width="1" height="1" x="0" y="0">${clouds}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`
    const result = await read(svg)
    expect(result).toMatchObject({ state: 'failed', reason: 'Opening the file took longer than 8 s and was stopped.' })
  })

  it('at the limit of pixels is read, and one past it is not', { timeout: slow }, async () => {
    const blank = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#fff' } })
        .png({ compressionLevel: 1 })
        .toBuffer()
    expect(await read(await blank(8_000, 8_000))).toMatchObject({ state: 'done', ocr: { text: '' } })
    expect(await read(await blank(8_000, 8_001))).toMatchObject({ state: 'failed', reason: expect.stringContaining('64 megapixels') })
    expect(await read(pngBomb(60_000, 60_000))).toMatchObject({ state: 'failed', reason: expect.stringContaining('64 megapixels') })
  })

  it('that is cut off or broken says so', { timeout: slow }, async () => {
    const jpeg = await readFile(fixture('sign.jpg'))
    const heic = await readFile(fixture('note.heic'))
    for (const broken of [
      jpeg.subarray(0, 300),
      heic.subarray(0, heic.length / 2),
      Buffer.concat([heic.subarray(0, 200), Buffer.alloc(5_000, 0xff)]),
    ]) {
      expect(await read(broken)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/broken|too large/) })
    }
  })

  it('of a thousand pages is read by its first', { timeout: slow }, async () => {
    const height = 20
    const frames = Buffer.alloc(20 * height * 1_000 * 3, 255)
    const raw = { width: 20, height: height * 1_000, channels: 3 as const, pageHeight: height }
    const tiff = await sharp(frames, { raw }).tiff({ compression: 'lzw' }).toBuffer()
    expect((await sharp(tiff).metadata()).pages).toBe(1_000)
    expect(await read(tiff)).toMatchObject({ state: 'done', ocr: { text: '' } })
  })

  it('drawn with entities that multiply, or of a size without end, is refused or read, and in time', { timeout: slow }, async () => {
    const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')
    const laughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "ha">${entities}]><svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><text y="20">&e9;</text></svg>`
    expect(await read(laughs)).toMatchObject({ state: 'failed', reason: 'The picture is broken or cut off.' })
    const endless = '<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"/>'
    expect(await read(endless)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/too large|broken/) })
    const away = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90"><image xlink:href="file:///etc/passwd" width="90" height="90"/></svg>`
    expect(await read(away)).toMatchObject({ state: 'done', ocr: { text: '' } })
  })
})
