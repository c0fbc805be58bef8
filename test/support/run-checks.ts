/** `npm run check`: format, lint, types, dead code and stale documents, all of them even when an early one fails. Needs no database. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

const checks: readonly (readonly [string, string, readonly string[]])[] = [
  ['format', bin('oxfmt'), ['--check', '.']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings', 'platform', 'tools', 'workflows', 'activities', 'server', 'test', 'bench']],
  // By its own path: a package that wants another version of it may take its name in .bin.
  ['types', join(root, 'node_modules/typescript/bin/tsc'), ['-p', '.']],
  ['dead code', bin('knip'), []],
  ['documents', process.execPath, ['server/docs/write.ts', '--check']],
]

let failed = 0
for (const [name, command, args] of checks) {
  const began = performance.now()
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const isOk = result.status === 0
  if (!isOk) {
    failed++
    process.stdout.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? `${result.error.message}\n` : ''}`)
  }
  process.stdout.write(`${isOk ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)\n`)
}
process.stdout.write(`\nchecks: ${checks.length - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
