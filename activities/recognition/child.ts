/** The child process that reads files. It holds the engines, knows no secret, and can be killed at any time. */
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

import { createReader, FileGone } from './job.ts'
import type { ChildMessage, JobMessage } from './wire.ts'

const [, , cacheDir] = process.argv
if (cacheDir === undefined || process.send === undefined) throw new Error('This file is started by the recognition pool.')

// Reading is background work: whoever answers callers on the same cores goes first. Lower still, a busy machine would starve it past its time limit.
try {
  setPriority(5)
} catch {
  // Not allowed here; it reads at the usual priority.
}

process.once('disconnect', () => process.exit(0))
// A killed parent ends this process even while a decoder keeps its main thread from hearing of the disconnect.
const watch = `const parent = process.ppid
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)`
new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } }).unref()

const say = (message: ChildMessage) => process.send?.(message)
const reader = await createReader(cacheDir)

process.on('message', ({ job }: JobMessage) => {
  reader
    .read(job, (progress) => say({ kind: 'progress', progress }))
    .then((result) => say({ kind: 'result', result, rssBytes: process.memoryUsage.rss() }))
    .catch((error: unknown) => {
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
      say({ kind: error instanceof FileGone ? 'gone' : 'broken', said, rssBytes: process.memoryUsage.rss() })
    })
})
say({ kind: 'ready' })
