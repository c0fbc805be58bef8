/** The child process that reads files. It holds the engines, knows no secret, and can be killed at any time. */
import { liveInBackground } from '#platform/child-process.ts'

import { createReader, FileGone } from './job.ts'
import type { ChildMessage, JobMessage } from './wire.ts'

const [, , cacheDir] = process.argv
if (cacheDir === undefined || process.send === undefined) throw new Error('This file is started by the recognition pool.')

liveInBackground()

const say = (message: ChildMessage) => process.send?.(message)
const reader = await createReader(cacheDir)

process.on('message', ({ job }: JobMessage) => {
  reader
    .read(job, { onProgress: (progress) => say({ kind: 'progress', progress }), onPage: (page) => say({ kind: 'page', page }) })
    .then((result) => say({ kind: 'result', result, rssBytes: process.memoryUsage.rss() }))
    .catch((error: unknown) => {
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
      say({ kind: error instanceof FileGone ? 'gone' : 'broken', said, rssBytes: process.memoryUsage.rss() })
    })
})
say({ kind: 'ready' })
