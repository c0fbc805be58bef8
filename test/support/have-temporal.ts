/**
 * Before each spec file that runs on Temporal: its program is there. On a new machine the first file has it built, which takes minutes and no
 * test's time; each later one finds it in the cache.
 */
import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { findTemporal } from '#server/boot/temporal-binary.ts'

const limitMs = 25 * 60_000
const tellEveryMs = 30_000

let toldAt = performance.now()
const found = await findTemporal({
  config: loadConfig(),
  log: createLog('silent'),
  signal: AbortSignal.timeout(limitMs),
  onProgress(detail) {
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    process.stdout.write(`Temporal: ${detail}\n`)
  },
})
if (found.path === undefined) throw new Error(`There is no Temporal for the tests: ${found.detail} ${found.remedy}`)
// The servers that the tests start look no further.
process.env['TEMPORAL_CLI_PATH'] = found.path
