/** DATA_DIR: who may read it, who has it, and the small secrets that are made in it once. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Config } from '#platform/config.ts'

import { codeOf, messageOf } from './failures.ts'
import { tryLock } from './file-lock.ts'
import { describeProcess, isRunning } from './processes.ts'

interface DataDirLock {
  release(): void
}

/**
 * Makes the directory with mode 0700, for the user who starts us alone: it holds secrets. Also PostgreSQL's other user, when root
 * starts us, needs no way through it, since its processes are born inside their own directory (see postgres-cluster.ts).
 */
export function makeDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`The directory ${path} cannot be made: ${messageOf(error)}. Set DATA_DIR to one that can.`, { cause: error })
  }
}

/** Takes the directory for this process's life. Throws a sentence that names the process which has it. */
export function lockDataDir(path: string): DataDirLock {
  makeDataDir(path)
  const holder = join(path, 'process.pid')
  const lock = tryLock(join(path, 'process.lock'))
  if (!lock) {
    const pid = Number(readIfThere(holder))
    const who = pid > 0 && isRunning(pid) ? describeProcess(pid) : 'another process'
    throw new Error(`The data directory ${path} is in use by ${who}. Stop it first, or set DATA_DIR to another directory.`)
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
  return {
    release() {
      rmSync(holder, { force: true })
      lock.release()
    },
  }
}

/** The 32 bytes that encrypt stored secrets: SECRETS_KEY, else DATA_DIR/secrets-key, made at the first boot. Throws when not 32 bytes. */
export function secretsKey(config: Pick<Config, 'dataDir' | 'secretsKey'>): Buffer {
  makeDataDir(config.dataDir)
  const file = join(config.dataDir, 'secrets-key')
  const text = config.secretsKey ?? keepOnce(file, () => randomBytes(32).toString('base64'))
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) {
    const source = config.secretsKey === undefined ? file : 'SECRETS_KEY'
    throw new Error(`${source} must be 32 bytes in base64, but is ${key.length} bytes. Make one with: openssl rand -base64 32`)
  }
  return key
}

/** The text of a file that is written once, with mode 0600, whole or not at all; also when two processes come at once. */
export function keepOnce(path: string, make: () => string): string {
  const kept = readIfThere(path)
  if (kept !== undefined) return kept
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const fd = openSync(draft, 'wx', 0o600)
  try {
    writeSync(fd, make())
    fsyncSync(fd)
    // A link, unlike a rename, refuses to replace what another process made meanwhile.
    linkSync(draft, path)
    syncDirectory(dirname(path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    closeSync(fd)
    rmSync(draft, { force: true })
  }
  return readFileSync(path, 'utf8')
}

/** Makes the names in a directory durable: a new file survives a power cut only after this. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
