/**
 * Loaded into a server before anything else: keeps the longest time that its thread computed without a turn for others. It is counted in time of the
 * processor, so that a busy machine does not count as a held event loop.
 */

export interface LoopWatched {
  readonly longestMs: number
  readonly residentMiB: number
}

let longestMs = 0
let residentMiB = 0

function spentMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let before = spentMs()
setInterval(() => {
  const now = spentMs()
  longestMs = Math.max(longestMs, now - before)
  before = now
}, 2).unref()
setInterval(() => (residentMiB = Math.max(residentMiB, process.memoryUsage.rss() / 1024 / 1024)), 100).unref()

process.on('message', () => {
  const watched: LoopWatched = {
    longestMs: Math.round(longestMs),
    residentMiB: Math.round(Math.max(residentMiB, process.memoryUsage.rss() / 1024 / 1024)),
  }
  longestMs = 0
  residentMiB = 0
  process.send?.(watched)
})
process.channel?.unref()
