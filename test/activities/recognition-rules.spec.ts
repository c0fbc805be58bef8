import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import * as fc from 'fast-check'
import { InferenceSession, Tensor } from '#platform/onnx.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { withDirectoryLock } from '#activities/recognition/directory-lock.ts'
import { after, mapBox, scaling, unturning, type Affine } from '#activities/recognition/geometry.ts'
import { convertKerasModel, kerasModel } from '#activities/recognition/keras-to-onnx.ts'
import { asRanges, concludePdf, keepText, mostWorkOnDrawn, noText, type PdfPage, worthMs } from '#activities/recognition/pages.ts'
import { splitLine } from '#activities/recognition/read-page.ts'
import { estimateSkew } from '#activities/recognition/skew.ts'
import { sniffFile } from '#activities/recognition/sniff.ts'
import { limits } from '#activities/recognition/types.ts'
import { readTarGz } from '#platform/tar.ts'
import { ensureTessdata } from '#activities/recognition/tessdata.ts'
import { recognitionLanguages } from '#platform/shapes/recognition.ts'

import '../support/seed.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recognition-rules-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the pages of a PDF', () => {
  const page = (outcome: PdfPage['outcome'], text = ''): PdfPage => ({ ...noText, outcome, text, wastedMs: 0 })
  const end = { all: 60, planned: 50, languages: ['eng'], pageSeconds: 10, isLate: false }

  it('are worth the time of a scan with as much text, and nothing without text', () => {
    expect([0, 7, 20, 600, 4_000].map(worthMs)).toEqual([0, 0, 1_060, 2_800, 12_000])
  })

  it('that have to be drawn never waste what is kept for the text that others carry', () => {
    expect([0, 14_999, 15_000].map((wasted) => mostWorkOnDrawn(wasted, 10))).toEqual([10_000, 8_000, 0])
    expect(mostWorkOnDrawn(0, 30)).toBe(30_000)
  })

  it('are named in ranges', () => {
    expect(asRanges([])).toBe('')
    expect(asRanges([1, 3, 4, 5, 8, 9])).toBe('1, 3 to 5, 8, 9')
  })

  it('end with what is missing and why', () => {
    const pages = [page('read', 'a'), page('broken'), page('leftOut'), page('notDrawn')]
    expect(concludePdf({ ...end, pages })).toMatchObject({
      state: 'done',
      reason:
        'Reading ended after page 4 of 60: 20 s of work brought too little text. Broken pages were left out: 2. Pages that do not open in the time and memory of a page were left out: 3. Pages that are pictures were left out, after others without text: 4.',
      ocr: { pages: 4 },
    })
    expect(concludePdf({ ...end, pages, isLate: true }).reason).toMatch(/^Only the first 4 of 60 pages were read in the time/)
    expect(concludePdf({ ...end, pages: [page('read', 'a')], all: 1, planned: 1 })).not.toHaveProperty('reason')
    expect(() => concludePdf({ ...end, pages: [page('broken'), page('leftOut')] })).toThrow('none of the pages of the PDF had opened')
  })

  it('bring no more text and words than one file may', () => {
    const lines = Array.from({ length: 3_000 }, () => [{ text: 'word'.repeat(50), confidence: 90, box: [0, 0, 1, 1] as const }])
    const first = keepText(lines, [], 1)
    const second = keepText(lines, [first], 2)
    expect(first.words.length + second.words.length).toBe(limits.words)
    expect(first.text.length + second.text.length).toBe(limits.textCharacters)
  })
})

describe('what a file is', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
  it.each([
    ['an SVG without a declaration', svg, 'a', { kind: 'svg' }],
    [
      'an SVG with a declaration, a comment and a doctype',
      `<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg>\n${svg}`,
      'a',
      { kind: 'svg' },
    ],
    ['an SVG called a text file', svg, 'a.txt', { kind: 'svg' }],
    ['an SVG inside a web page', `<html><body>${svg}</body></html>`, 'a.svg', { kind: 'text', mimeType: 'text/html' }],
    ['other XML', '<?xml version="1.0"?><list/>', 'a.xml', { kind: 'text', mimeType: 'application/xml' }],
    ['CSV', 'a;b\n1;2\n', 'a.CSV', { kind: 'text', mimeType: 'text/csv' }],
    ['text in UTF-16', Buffer.from('\uFEFFtext', 'utf16le'), 'a.txt', { kind: 'text', mimeType: 'text/plain' }],
    [
      'text cut inside a character',
      Buffer.concat([Buffer.alloc(16 * 1024 - 1, 'a'), Buffer.from('é')]),
      'a.txt',
      { kind: 'text', mimeType: 'text/plain' },
    ],
    ['bytes with a NUL', Buffer.from('text\0text'), 'a.txt', { kind: 'other' }],
    ['nothing', '', 'a.txt', { kind: 'empty' }],
    ['a PDF called a picture', '%PDF-1.4\n', 'a.png', { kind: 'pdf' }],
  ])('%s', async (_what, content, fileName, expected) => {
    const path = join(folder, 'sniffed')
    await writeFile(path, content)
    expect(await sniffFile(path, { fileName })).toMatchObject(expected)
  })
})

describe('boxes', () => {
  const turn = (
    degrees: number,
    from: { width: number; height: number },
    to: { width: number; height: number },
    [x, y]: readonly [number, number],
  ) => {
    const radians = (degrees * Math.PI) / 180
    const [dx, dy] = [x - from.width / 2, y - from.height / 2]
    return [
      Math.cos(radians) * dx - Math.sin(radians) * dy + to.width / 2,
      Math.sin(radians) * dx + Math.cos(radians) * dy + to.height / 2,
    ] as const
  }
  const apply = ([a, b, c, d, e, f]: Affine, [x, y]: readonly [number, number]) => [a * x + b * y + c, d * x + e * y + f]

  it('come back to where they were after a picture was turned and scaled', () => {
    const side = fc.integer({ min: 10, max: 5_000 })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: -360, max: 360 }), side, side, side, side, share, share, (degrees, width, height, wide, high, u, v) => {
        const [before, turned] = [
          { width, height },
          { width: wide, height: high },
        ]
        const point = [u * width, v * height] as const
        const [x = 0, y = 0] = apply(after(scaling(3), unturning(degrees, before, turned)), turn(degrees, before, turned, point))
        expect(x).toBeCloseTo(point[0] * 3, 5)
        expect(y).toBeCloseTo(point[1] * 3, 5)
      }),
      { numRuns: 200 },
    )
  })

  it('stay inside the picture', () => {
    expect(mapBox(scaling(2), [-5, 3, 80, 90], 100, 100)).toEqual([0, 6, 100, 100])
  })

  it("share a line's box by letters", () => {
    const words = splitLine({ text: 'GATE 27', confidence: 90, box: [10, 5, 80, 25] })
    expect(words.map(({ text, box }) => [text, ...box])).toEqual([
      ['GATE', 10, 5, 50, 25],
      ['27', 60, 5, 80, 25],
    ])
    const hanging = splitLine({ text: 'GATE 27', confidence: 90, box: [5, 10, 25, 80] }, 'down')
    expect(hanging.map(({ text, box }) => [text, ...box])).toEqual([
      ['GATE', 5, 10, 25, 50],
      ['27', 5, 60, 25, 80],
    ])
    expect(splitLine({ text: '   ', confidence: 90, box: [0, 0, 9, 9] })).toEqual([])
  })
})

describe('the lean of a page', () => {
  const [width, height] = [400, 500]
  const ruled = (degrees: number) => {
    const data = Buffer.alloc(width * height, 255)
    for (let line = 1; line < 12; line++)
      for (let x = 20; x < width - 20; x++) {
        const y = Math.round(line * 40 + (x - width / 2) * Math.tan((degrees * Math.PI) / 180))
        for (const row of [y, y + 1, y + 2]) if (row >= 0 && row < height) data[row * width + x] = 0
      }
    return { data, width, height, channels: 1 as const }
  }

  it.each([-9, -2.5, 0, 3, 7.4])('is found where its lines run at %d degrees', (degrees) => {
    expect(Math.abs(estimateSkew(ruled(degrees)) - degrees)).toBeLessThan(0.3)
  })

  it('is none on an empty page', () => {
    expect(estimateSkew({ data: Buffer.alloc(width * height, 255), width, height, channels: 1 })).toBe(0)
  })
})

describe('the lock between processes', () => {
  it('lets one in at a time', async () => {
    const path = join(folder, 'one.lock')
    const inside: number[] = []
    let now = 0
    const work = async () => {
      inside.push(++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
    }
    await Promise.all(Array.from({ length: 4 }, () => withDirectoryLock(path, 10_000, work)))
    expect(inside).toEqual([1, 1, 1, 1])
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is taken over from a process that died', async () => {
    const path = join(folder, 'dead.lock')
    await mkdir(path)
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(path, longAgo, longAgo)
    expect(await withDirectoryLock(path, 10_000, async () => 'in')).toBe('in')
  })

  it('gives up after the time it was given', async () => {
    const path = join(folder, 'held.lock')
    await mkdir(path)
    await expect(withDirectoryLock(path, 1, async () => 'in')).rejects.toThrow('too long')
  })
})

describe('the language data', () => {
  it('lies whole in one folder, and is put there again where it is damaged', async () => {
    const cache = join(folder, 'tessdata')
    const path = await ensureTessdata(cache)
    const names = await readdir(path)
    expect(names.toSorted()).toEqual(recognitionLanguages.map((language) => `${language}.traineddata.gz`).toSorted())
    const file = join(path, 'eng.traineddata.gz')
    const { size } = await stat(file)
    await writeFile(file, 'cut off')
    await ensureTessdata(cache)
    expect((await stat(file)).size).toBe(size)
  })
})

describe('an archive', () => {
  const entry = (name: string, content: string, type = '0') => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write(type, 156)
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)])
  }

  it('gives its files and passes over folders', async () => {
    const archive = gzipSync(
      Buffer.concat([
        entry('package/', '', '5'),
        entry('package/a.txt', 'first'),
        entry('package/b.txt', 'x'.repeat(700)),
        Buffer.alloc(1024),
      ]),
    )
    const files = await readTarGz(archive, 100_000)
    expect([...files].map(([name, bytes]) => [name, bytes.length])).toEqual([
      ['package/a.txt', 5],
      ['package/b.txt', 700],
    ])
  })

  it('is refused when it unpacks to more than was expected', async () => {
    await expect(readTarGz(gzipSync(Buffer.alloc(1_000_000)), 100_000)).rejects.toThrow()
  })
})

describe('the converter of networks', () => {
  const layer = (name: string, class_name: string, from: string | undefined, config: object) => ({
    name,
    class_name,
    inbound_nodes: from === undefined ? [] : [[[from, 0, 0, {}]]],
    config,
  })
  const weights = {
    'c/kernel': { shape: [1, 1, 3, 2], values: [0.5, -1, 0.25, 2, -0.75, 0.1] },
    'c/bias': { shape: [2], values: [0.1, -0.2] },
    'n/gamma': { shape: [2], values: [1.5, 0.8] },
    'n/beta': { shape: [2], values: [0.3, -0.1] },
    'n/moving_mean': { shape: [2], values: [0.2, 0.4] },
    'n/moving_variance': { shape: [2], values: [0.9, 1.7] },
    'd/kernel': { shape: [2, 3], values: [1, -0.5, 0.2, 0.3, 0.9, -1.1] },
    'd/bias': { shape: [3], values: [0.05, 0, -0.05] },
  }
  const shard = Buffer.from(new Float32Array(Object.values(weights).flatMap(({ values }) => values)).buffer)
  const network = (last: string) =>
    kerasModel.parse({
      format: 'layers-model',
      modelTopology: {
        model_config: {
          config: {
            layers: [
              layer('i', 'InputLayer', undefined, { batch_input_shape: [null, 2, 2, 3] }),
              layer('c', 'Conv2D', 'i', { padding: 'valid', strides: [1, 1], activation: 'linear' }),
              layer('n', 'BatchNormalization', 'c', { epsilon: 0.001 }),
              layer('a', 'Activation', 'n', { activation: 'relu' }),
              layer('g', last, 'a', {}),
              layer('d', 'Dense', 'g', { activation: 'softmax' }),
            ],
          },
        },
      },
      weightsManifest: [
        { paths: ['shard'], weights: Object.entries(weights).map(([name, { shape }]) => ({ name, shape, dtype: 'float32' })) },
      ],
    })

  it('gives a network that computes what the original does, but for the rounding of its weights', async () => {
    const pixels = Array.from({ length: 12 }, (_, index) => Math.sin(index * 1.7))
    const at = (plane: number, position: number) => pixels[plane * 4 + position] ?? 0
    const value = (name: keyof typeof weights, index: number) => weights[name].values[index] ?? 0
    const pooled = [0, 1].map((channel) => {
      const outputs = [0, 1, 2, 3].map((position) => {
        const sum = [0, 1, 2].reduce(
          (total, plane) => total + at(plane, position) * value('c/kernel', plane * 2 + channel),
          value('c/bias', channel),
        )
        const scale = value('n/gamma', channel) / Math.sqrt(value('n/moving_variance', channel) + 0.001)
        return Math.max(0, (sum - value('n/moving_mean', channel)) * scale + value('n/beta', channel))
      })
      return outputs.reduce((total, output) => total + output, 0) / 4
    })
    const logits = [0, 1, 2].map((label) =>
      pooled.reduce((total, input, channel) => total + input * value('d/kernel', channel * 3 + label), value('d/bias', label)),
    )
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0)

    const session = await InferenceSession.create(convertKerasModel(network('GlobalAveragePooling2D'), () => shard))
    const result = await session.run({ i: new Tensor('float32', pixels, [1, 3, 2, 2]) })
    const found = [...(result['probabilities']?.data ?? [])].map(Number)
    expect(found).toHaveLength(3)
    for (const [label, logit] of logits.entries()) expect(found[label]).toBeCloseTo(Math.exp(logit) / total, 2)
    await session.release()
  })

  it('gives the same bytes each time', () => {
    const once = convertKerasModel(network('GlobalAveragePooling2D'), () => shard)
    expect(convertKerasModel(network('GlobalAveragePooling2D'), () => shard).equals(once)).toBe(true)
  })

  it('refuses a layer that it does not know', () => {
    expect(() => convertKerasModel(network('LSTM'), () => shard)).toThrow('LSTM')
  })
})
