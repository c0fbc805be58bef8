/** A lock between processes on one machine: a directory that only one of them can make, kept fresh while its owner lives. */
import { mkdir, rm, stat, utimes } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const freshEveryMs = 2_000
const staleAfterMs = 15_000
const lookEveryMs = 200

/**
 * Runs `work` while holding the lock at `path`. Throws after `waitMs` without it. A lock whose owner was killed is taken over; two processes
 * may then do the work at once, so the work must be harmless to repeat.
 */
export async function withDirectoryLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + waitMs
  while (!(await take(path))) {
    if (Date.now() > deadline) throw new Error('Another process has held the lock for too long.')
    await delay(lookEveryMs)
  }
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => {})
  }, freshEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await rm(path, { recursive: true, force: true })
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const held = await stat(path).catch(() => undefined)
  if (held && Date.now() - held.mtimeMs > staleAfterMs) await rm(path, { recursive: true, force: true })
  return false
}
