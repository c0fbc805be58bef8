import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { checkStoragePath, type StorageDriver } from '#platform/storage/driver.ts'
import { createLocalStorage } from '#platform/storage/local.ts'

import { takeRoom } from './support/full-store.ts'

const maxBytes = 64 * 1024 * 1024

let base: string
let root: string
let storage: StorageDriver
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'fieldloop-storage-'))
  root = join(base, 'files')
  storage = await createLocalStorage(root)
})
afterAll(() => rm(base, { recursive: true, force: true }))

const streamOf = (...chunks: (Buffer | string)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))

async function textAt(path: string, range?: { start: number; end: number }): Promise<string> {
  const stream = await storage.get(path, range)
  return Buffer.concat(await stream.toArray()).toString()
}

describe('the local store', () => {
  it('keeps a stream whole, with its size and checksum', async () => {
    const bytes = randomBytes(3_000_000)
    const put = await storage.put('7/2026/11/big', streamOf(bytes.subarray(0, 1_000_001), bytes.subarray(1_000_001)), { maxBytes })
    expect(put).toEqual({ sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    const stream = await storage.get('7/2026/11/big')
    expect(Buffer.concat(await stream.toArray()).equals(bytes)).toBe(true)
    expect(await storage.stat('7/2026/11/big')).toMatchObject({ path: '7/2026/11/big', sizeBytes: bytes.length })
  })

  it('reads a range, both ends included', async () => {
    await storage.put('range/a', streamOf('0123456789'), { maxBytes })
    expect(await textAt('range/a', { start: 2, end: 4 })).toBe('234')
  })

  it('leaves nothing of a stream that breaks, is too long, or is given up', async () => {
    const breaking = new Readable({
      read() {
        this.push(Buffer.alloc(100_000, 1))
        this.destroy(new Error('cut'))
      },
    })
    const given = new AbortController()
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(1000, 2))
        given.abort()
      },
    })
    await expect(storage.put('broken/a', breaking, { maxBytes })).rejects.toThrow('cut')
    await expect(storage.put('broken/b', streamOf('12345', '67890'), { maxBytes: 9 })).rejects.toMatchObject({ code: 'too_large' })
    await expect(storage.put('broken/c', endless, { maxBytes, signal: given.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(await Array.fromAsync(storage.walk('broken'))).toEqual([])
    expect(await readdir(join(root, '.incoming'))).toEqual([])
  })

  it('replaces a file only when the new one is whole', async () => {
    await storage.put('replace/a', streamOf('old'), { maxBytes })
    await expect(storage.put('replace/a', streamOf('much too long'), { maxBytes: 5 })).rejects.toMatchObject({ code: 'too_large' })
    expect(await textAt('replace/a')).toBe('old')
    await storage.put('replace/a', streamOf('new'), { maxBytes })
    expect(await textAt('replace/a')).toBe('new')
  })

  it('walks through a folder and those below it, also while its files are deleted, and through no other', async () => {
    const paths = Array.from({ length: 100 }, (_, n) => `walk/${n % 10}/${n % 3}/${n}`)
    for (const path of [...paths, 'walk/top', 'walk-on/a']) await storage.put(path, streamOf('x'), { maxBytes })
    await symlink(base, join(root, 'walk/link'))
    const found: string[] = []
    for await (const path of storage.walk('walk')) {
      found.push(path)
      await storage.delete(path)
    }
    expect(found.toSorted()).toEqual([...paths, 'walk/top', 'walk/link'].toSorted())
    expect(await Array.fromAsync(storage.walk('walk'))).toEqual([])
    expect(await Array.fromAsync(storage.walk('nowhere'))).toEqual([])
    expect(await textAt('walk-on/a')).toBe('x')
  })

  it('copies, moves and deletes, and deleting twice is no error', async () => {
    await storage.put('cmd/a', streamOf('one'), { maxBytes })
    await storage.copy('cmd/a', 'cmd/b')
    await storage.move('cmd/a', 'cmd/deep/c')
    expect([await storage.stat('cmd/a'), await textAt('cmd/b'), await textAt('cmd/deep/c')]).toEqual([undefined, 'one', 'one'])
    await storage.delete('cmd/b')
    await storage.delete('cmd/b')
    await expect(storage.get('cmd/b')).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each(['../up', 'a/../../up', '/etc/passwd', 'a//b', 'a/./b', 'a\\b', 'a\0b', 'a\nb', '', 'x'.repeat(1001)])(
    'refuses the path %j',
    async (path) => {
      expect(() => checkStoragePath(path)).toThrow()
      await expect(storage.put(path, streamOf('x'), { maxBytes })).rejects.toThrow()
      await expect(storage.get(path)).rejects.toThrow()
    },
  )

  it('follows no link out of its root, neither to read nor to write', async () => {
    const outside = join(base, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'secret')
    await symlink(outside, join(root, 'link'))
    await expect(storage.get('link/secret')).rejects.toMatchObject({ code: 'not_found' })
    await expect(storage.put('link/new', streamOf('x'), { maxBytes })).rejects.toMatchObject({ code: 'not_found' })
    expect(await readdir(outside)).toEqual(['secret'])
  })

  describe('what a killed process left half-written', () => {
    const incoming = () => join(root, '.incoming')
    const hourMs = 3_600_000
    beforeEach(async () => {
      await writeFile(join(incoming(), 'old'), 'half')
      await writeFile(join(incoming(), 'young'), 'half')
      const earlier = new Date(Date.now() - 25 * hourMs)
      await utimes(join(incoming(), 'old'), earlier, earlier)
    })
    afterEach(async () => {
      vi.restoreAllMocks()
      await rm(join(incoming(), 'young'))
    })

    it('is swept at the start once it is a day old, and nothing younger, though the clock was set ahead by hours', async () => {
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 12 * hourMs)
      await createLocalStorage(root)
      expect(await readdir(incoming())).toEqual(['young'])
    })

    it('is swept by an upload where the last sweep lies an hour back', async () => {
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + hourMs)
      await storage.put('sweep/a', streamOf('one'), { maxBytes })
      await expect.poll(() => readdir(incoming())).toEqual(['young'])
    })
  })

  it('says that it can be written', async () => {
    await expect(storage.test()).resolves.toBeUndefined()
  })
})

describe('a full store', () => {
  it('answers unavailable, holds nothing of the file, and takes it once there is room', async () => {
    const giveBack = await takeRoom(root)
    const big = () => streamOf(...Array.from({ length: 32 }, () => Buffer.alloc(64 * 1024, 3)))
    try {
      await expect(storage.put('full/a', big(), { maxBytes })).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 60 })
      expect(await storage.stat('full/a')).toBeUndefined()
    } finally {
      await giveBack()
    }
    expect(await storage.put('full/a', big(), { maxBytes })).toMatchObject({ sizeBytes: 2 * 1024 * 1024 })
  })
})
