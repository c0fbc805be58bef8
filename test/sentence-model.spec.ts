import { deflateRawSync } from 'node:zlib'

import { afterAll, describe, expect, it } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { createEmbedder } from '#platform/embeddings/embedder.ts'
import { halfFloat, repackForRuntime, unpackRow } from '#platform/embeddings/packed-model.ts'
import { piecesOf } from '#platform/embeddings/unigram.rules.ts'
import { createLog } from '#platform/log.ts'
import { readZipFile } from '#platform/zip.ts'

describe('the sentence model', { timeout: 240_000 }, () => {
  const embedder = createEmbedder({ cacheDir: loadConfig().cacheDir, log: createLog('silent') })
  afterAll(() => embedder.end())

  it('puts what means the same side by side, whatever the language', async () => {
    const texts = [
      'delete a row',
      'eine Zeile löschen',
      'supprimer une ligne',
      'excluir uma linha',
      'eliminare una riga',
      'wait for a reply to my message',
    ]
    const { model, vectors } = await embedder.embed(texts)
    expect(model).toBe('multilingual-e5-small-q4')
    const vector = (index: number) => vectors.subarray(index * 384, (index + 1) * 384)
    const likeness = (one: number, other: number) => vector(one).reduce((sum, value, index) => sum + value * (vector(other)[index] ?? 0), 0)
    expect(likeness(0, 0)).toBeCloseTo(1, 4)
    for (const same of [1, 2, 3, 4]) expect(likeness(0, same), texts[same]).toBeGreaterThan(likeness(0, 5))
  })

  it('reads texts longer than it was made for, and empty ones', async () => {
    const { vectors } = await embedder.embed(['', 'word '.repeat(2_000)])
    expect(vectors).toHaveLength(2 * 384)
    expect(vectors.every((value) => Number.isFinite(value))).toBe(true)
  })
})

describe('packed weights', () => {
  // One row of 32 weights with the scale 0.5: the low halves are 0 to 15, the high halves 15 to 0.
  const packed = Buffer.from([0x00, 0x38, ...Array.from({ length: 16 }, (_, index) => index | ((15 - index) << 4))])
  const row = [...Array.from({ length: 16 }, (_, index) => (index - 8) / 2), ...Array.from({ length: 16 }, (_, index) => (7 - index) / 2)]

  it('are unpacked to what they stand for', () => {
    expect([halfFloat(0x3800), halfFloat(0xbc00), halfFloat(0x0001), halfFloat(0)]).toEqual([0.5, -1, 2 ** -24, 0])
    expect([...unpackRow(packed, 0, 32)]).toEqual(row)
  })

  it('are the same in the order of the runtime', () => {
    const { weights, scales } = repackForRuntime(packed)
    const unpacked = [...weights].flatMap((pair) => [((pair & 15) - 8) * (scales[0] ?? 0), ((pair >> 4) - 8) * (scales[0] ?? 0)])
    expect(unpacked).toEqual(row)
  })
})

describe('pieces of words', () => {
  const pieces = ['<unk>', '▁', '▁row', '▁ro', 'w', 'ws', '▁delete']
  const vocabulary = {
    begin: -1,
    end: -2,
    unknown: 0,
    ids: new Map(pieces.map((piece, id) => [piece, id])),
    scores: Float32Array.from([0, -2, -3, -4, -5, -1, -3]),
  }

  it('are together the likeliest ones', () => {
    expect(piecesOf('delete row', vocabulary)).toEqual([6, 2])
    expect(piecesOf('rows', vocabulary)).toEqual([3, 5])
  })

  it('are one unknown for each letter that no piece has, however spaces and forms are written', () => {
    expect(piecesOf('§', vocabulary)).toEqual([1, 0])
    expect(piecesOf('  ｒｏｗ \n', vocabulary)).toEqual([2])
    expect(piecesOf('', vocabulary)).toEqual([1])
  })
})

describe('a ZIP archive', () => {
  function archiveOf(files: Readonly<Record<string, { method: 0 | 8; bytes: Buffer }>>): Buffer {
    const local: Buffer[] = []
    const central: Buffer[] = []
    let at = 0
    for (const [name, { method, bytes }] of Object.entries(files)) {
      const header = Buffer.alloc(30 + name.length)
      header.writeUInt32LE(0x04034b50)
      header.writeUInt16LE(name.length, 26)
      header.write(name, 30)
      const entry = Buffer.alloc(46 + name.length)
      entry.writeUInt32LE(0x02014b50)
      entry.writeUInt16LE(method, 10)
      entry.writeUInt32LE(bytes.length, 20)
      entry.writeUInt16LE(name.length, 28)
      entry.writeUInt32LE(at, 42)
      entry.write(name, 46)
      local.push(header, bytes)
      central.push(entry)
      at += header.length + bytes.length
    }
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50)
    end.writeUInt16LE(central.length, 10)
    end.writeUInt32LE(at, 16)
    return Buffer.concat([...local, ...central, end])
  }
  const text = Buffer.from('weights '.repeat(100))
  const archive = archiveOf({ 'a/stored': { method: 0, bytes: text }, 'a/deflated': { method: 8, bytes: deflateRawSync(text) } })

  it('gives one file, stored or deflated', async () => {
    expect(await readZipFile(archive, 'a/stored', 800)).toEqual(text)
    expect(await readZipFile(archive, 'a/deflated', 800)).toEqual(text)
  })

  it('is refused where it is none, lacks the file, or unpacks to more than was allowed', async () => {
    await expect(readZipFile(Buffer.from('not an archive'.repeat(9)), 'a', 10)).rejects.toThrow('no ZIP file')
    await expect(readZipFile(Buffer.alloc(3), 'a', 10)).rejects.toThrow('no ZIP file')
    await expect(readZipFile(archive, 'b', 800)).rejects.toThrow('has no b')
    await expect(readZipFile(archive, 'a/stored', 799)).rejects.toThrow('too large')
    await expect(readZipFile(archive, 'a/deflated', 799)).rejects.toThrow()
  })
})
