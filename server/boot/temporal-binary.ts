/** Where the program of the embedded Temporal comes from: named, on PATH, cached, downloaded or built, in that order. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'

import { codeOf, messageOf } from './failures.ts'
import { tryLock, type FileLock } from './file-lock.ts'
import { buildTemporal } from './temporal-build.ts'
import { downloadTemporal, Unobtainable } from './temporal-download.ts'

/** The newest release that `go install` accepts: later ones replace a module in their go.mod, which it refuses. Server 1.29.1. */
const temporalCliVersion = '1.5.1'
const oldestServer = [1, 27] as const

const run = promisify(execFile)

interface FindOptions {
  readonly config: Pick<Config, 'cacheDir' | 'temporal'>
  readonly log: Logger
  /** Told what is going on, in a few words, for whoever waits. */
  readonly onProgress: (detail: string) => void
  readonly signal: AbortSignal
  /** Where releases are asked for; another one in tests. */
  readonly downloadFrom?: string
}

type FoundTemporal = { readonly path: string } | { readonly path: undefined; readonly detail: string; readonly remedy: string }

/** The program to start, fetched or built when there is none. Never rejects but for an abort. */
export async function findTemporal(o: FindOptions): Promise<FoundTemporal> {
  const named = o.config.temporal.cliPath
  if (named !== undefined) {
    const problem = await problemWith(named)
    if (problem === undefined) return { path: named }
    const remedy = 'Set TEMPORAL_CLI_PATH to a Temporal CLI with server 1.27 or later, or unset it, and start again.'
    return { path: undefined, detail: `TEMPORAL_CLI_PATH names ${named}, which ${problem}.`, remedy }
  }
  for (const directory of installedIn()) {
    const path = join(directory, 'temporal')
    if (!existsSync(path)) continue
    const problem = await problemWith(path)
    if (problem === undefined) return { path }
    o.log.warn({ path, problem }, 'this Temporal CLI cannot be used')
  }
  return fromCache(o)
}

/** Where installers put the program: PATH, then the homes of Temporal's own installer and of `go install`, which few have on PATH. */
function installedIn(): string[] {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((part) => isAbsolute(part))
  return [...onPath, join(homedir(), '.temporalio', 'bin'), join(homedir(), 'go', 'bin')]
}

/** Why the file cannot serve as the Temporal CLI, in words that continue a sentence; undefined when it can. */
export async function problemWith(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 20_000, env: { HOME: process.env['HOME'] } })
    const [, version, major, minor] = /Server ((\d+)\.(\d+)[\w.-]*)/.exec(stdout) ?? []
    if (version === undefined) return 'does not say which server it carries'
    const isRecent = Number(major) > oldestServer[0] || (Number(major) === oldestServer[0] && Number(minor) >= oldestServer[1])
    return isRecent ? undefined : `carries server ${version}, older than ${oldestServer.join('.')}`
  } catch (error) {
    return `cannot be run (${codeOf(error) ?? messageOf(error)})`
  }
}

async function fromCache(o: FindOptions): Promise<FoundTemporal> {
  const directory = join(o.config.cacheDir, 'temporal', temporalCliVersion)
  const path = join(directory, 'temporal')
  if (await isWhole(path)) return { path }
  let lock: FileLock | undefined
  const failures: string[] = []
  let way = 'Install Go 1.25 or later'
  try {
    mkdirSync(directory, { recursive: true })
    lock = await waitForLock(join(directory, 'fill.lock'), o)
    // Whoever had the lock may have filled the cache meanwhile.
    if (await isWhole(path)) return { path }
    for (const name of readdirSync(directory).filter((entry) => entry.startsWith('fill-'))) {
      rmSync(join(directory, name), { recursive: true, force: true })
    }
    for (const fetchInto of [downloadTemporal, buildTemporal]) {
      const draft = mkdtempSync(join(directory, 'fill-'))
      try {
        const made = await fetchInto({ ...o, version: temporalCliVersion, directory: draft })
        const problem = await problemWith(made)
        if (problem !== undefined) throw new Error(`The Temporal that was fetched ${problem}.`)
        const sum = await sha256(made)
        writeFileSync(`${path}.sha256`, `${sum}  temporal\n`)
        renameSync(made, path)
        o.log.info({ path, sha256: sum }, 'Temporal is in the cache')
        return { path }
      } catch (error) {
        o.signal.throwIfAborted()
        failures.push(messageOf(error))
        if (error instanceof Unobtainable) way = error.remedy
        o.log.info({ reason: messageOf(error) }, 'this way to get Temporal did not work')
      } finally {
        rmSync(draft, { recursive: true, force: true })
      }
    }
  } catch (error) {
    o.signal.throwIfAborted()
    failures.push(`${directory} cannot be used: ${messageOf(error)}`)
  } finally {
    lock?.release()
  }
  const remedy = `${way}, or put the Temporal CLI on PATH, or name one in TEMPORAL_CLI_PATH, or a server in TEMPORAL_ADDRESS; then start again.`
  return { path: undefined, detail: failures.join(' '), remedy }
}

/** A cached program counts only with its checksum: a damaged one is fetched again rather than started. */
async function isWhole(path: string): Promise<boolean> {
  if (!existsSync(path) || !existsSync(`${path}.sha256`)) return false
  const [expected] = readFileSync(`${path}.sha256`, 'utf8').split(' ')
  return (await sha256(path)) === expected && (await problemWith(path)) === undefined
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

async function waitForLock(path: string, o: FindOptions): Promise<FileLock> {
  for (;;) {
    const lock = tryLock(path)
    if (lock) return lock
    o.onProgress('another process is fetching or building Temporal')
    await delay(1000, undefined, { signal: o.signal })
  }
}
