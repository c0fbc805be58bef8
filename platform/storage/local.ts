/** Files on the local disk, under one root that no path and no link leaves. */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, open, opendir, readdir, realpath, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { AppError } from '../errors.ts'
import { checkStoragePath, type StorageDriver, type StoredFile } from './driver.ts'

const incoming = '.incoming'
/** What a killed process left half-written is removed once no upload can still be writing it, also where the clock was set ahead by hours meanwhile. */
const abandonedMs = 24 * 3_600_000
const sweepEveryMs = 3_600_000

function isErrno(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code))
}

const noRoom = (cause: unknown) =>
  new AppError('unavailable', 'The file store is full or cannot be written. Nothing was saved; try again later.', {
    cause,
    retryAfterSeconds: 60,
  })

const cannotWrite = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE']

async function sync(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function sweepIncoming(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    if (info && Date.now() - info.mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true })
  }
}

/** Where the files in a folder and below it are; a folder that goes meanwhile has none. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  })
  for await (const entry of entries) {
    const location = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(location)
    else yield location
  }
}

/** Opens the driver on `root`, which is made when absent. */
export async function createLocalStorage(root: string): Promise<StorageDriver> {
  await mkdir(join(root, incoming), { recursive: true, mode: 0o700 })
  const realRoot = await realpath(root)
  await sweepIncoming(join(realRoot, incoming))
  let sweptAt = performance.now()

  /** Uploads themselves see to it, so that a server that runs for months keeps nothing of a neighbour, or of its own last life, that was killed. */
  function sweepSometimes(): void {
    if (performance.now() - sweptAt < sweepEveryMs) return
    sweptAt = performance.now()
    // A folder that cannot be read or emptied is no reason to refuse the upload at hand; the next sweep comes.
    sweepIncoming(join(realRoot, incoming)).catch(() => {})
  }

  function locate(path: string): string {
    const segments = checkStoragePath(path).split('/')
    if (segments[0] === incoming) throw new AppError('not_found', 'No such file.')
    return join(realRoot, ...segments)
  }

  /** The location of an existing file, refused when a link leads it out of the root. */
  async function locateExisting(path: string): Promise<string> {
    const location = locate(path)
    try {
      const real = await realpath(location)
      if (!real.startsWith(realRoot + sep)) throw new AppError('not_found', 'No such file.')
      return real
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) throw new AppError('not_found', 'No such file.', { cause: error })
      throw error
    }
  }

  const describe = (path: string, info: { size: number; mtime: Date }): StoredFile => ({
    path,
    sizeBytes: info.size,
    modifiedAt: info.mtime.toISOString(),
  })

  async function moveInto(temporary: string, location: string): Promise<void> {
    const folder = dirname(location)
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    const real = await realpath(folder)
    if (real !== realRoot && !real.startsWith(realRoot + sep)) throw new AppError('not_found', 'No such folder.')
    await rename(temporary, location)
    // The rename itself must survive a power cut, not only the bytes; so must the folders that it needed.
    const topmost = made === undefined ? folder : dirname(made)
    for (let at = folder; at.length >= topmost.length; at = dirname(at)) await sync(at)
  }

  return {
    capabilities: { canRange: true, canRename: true, canSign: false, canWrite: true },
    async put(path, content, { maxBytes, signal }) {
      const location = locate(path)
      sweepSometimes()
      const temporary = join(realRoot, incoming, randomUUID())
      const hash = createHash('sha256')
      let sizeBytes = 0
      const meter = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sizeBytes += chunk.length
          hash.update(chunk)
          if (sizeBytes > maxBytes) done(new AppError('too_large', `The file has more than ${maxBytes} bytes. Nothing was saved.`))
          else done(null, chunk)
        },
      })
      try {
        await pipeline(content, meter, createWriteStream(temporary, { mode: 0o600, flush: true }), signal ? { signal } : {})
        await moveInto(temporary, location)
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw isErrno(error, ...cannotWrite) ? noRoom(error) : error
      }
      return { sizeBytes, sha256: hash.digest('hex') }
    },
    async get(path, range) {
      const location = await locateExisting(path)
      const stream = createReadStream(location, range ? { start: range.start, end: range.end } : {})
      await new Promise<void>((resolve, reject) => stream.once('open', () => resolve()).once('error', reject))
      return stream
    },
    async stat(path) {
      try {
        const info = await stat(await locateExisting(path))
        return info.isFile() ? describe(path, info) : undefined
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return undefined
        throw error
      }
    },
    async *walk(folder) {
      for await (const file of filesBelow(locate(folder))) yield relative(realRoot, file).split(sep).join('/')
    },
    async copy(from, to) {
      const temporary = join(realRoot, incoming, randomUUID())
      try {
        await copyFile(await locateExisting(from), temporary)
        await moveInto(temporary, locate(to))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw isErrno(error, ...cannotWrite) ? noRoom(error) : error
      }
    },
    async move(from, to) {
      await moveInto(await locateExisting(from), locate(to))
    },
    async delete(path) {
      await unlink(locate(path)).catch((error: unknown) => {
        if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
      })
    },
    async makeFolder(path) {
      await mkdir(locate(path), { recursive: true, mode: 0o700 })
    },
    async materialise(path) {
      return { filePath: await locateExisting(path), release: async () => {} }
    },
    async test() {
      const probe = join(realRoot, incoming, randomUUID())
      try {
        await writeFile(probe, 'probe')
        await unlink(probe)
      } catch (cause) {
        throw noRoom(cause)
      }
    },
  }
}
