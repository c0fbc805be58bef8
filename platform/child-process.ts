/** Child processes that read what strangers send: what they get to know, how large they are, and that none outlives its parent. */
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Where things are, and no secret. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'TZ',
  'SystemRoot',
  'FONTCONFIG_PATH',
  'FONTCONFIG_FILE',
  'LD_LIBRARY_PATH',
]

/** The environment of a reader of hostile files. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}

/** Resident memory, where the system tells it (Linux). */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

/** For the child: ends it with its parent, and has it give way to whoever answers callers on the same cores. */
export function liveInBackground(): void {
  try {
    // Lower still, a busy machine would starve it past its time limit.
    setPriority(5)
  } catch {
    // Not allowed here; it works at the usual priority.
  }
  process.once('disconnect', () => process.exit(0))
  // A killed parent ends this process even while its main thread is kept from hearing of the disconnect.
  const watch = `const parent = process.ppid
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)`
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } }).unref()
}
