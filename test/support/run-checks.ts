/**
 * `npm run check`: format, lint, types, dead code and stale documents, at once, and all of them even when one fails. Needs no database. What the checks know
 * of unchanged files is kept in node_modules/.cache; a fresh clone has none of it.
 */
import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { fingerprintOf, isKept, keep } from './unchanged.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const linted = ['platform', 'tools', 'workflows', 'activities', 'server', 'test', 'bench']

interface Check {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Of a check that keeps nothing itself: what its result depends on. Where all of it is as it was when the check passed last, it passes. */
  readonly dependsOn?: readonly string[]
}

/** What the application for browsers is checked with, made first: its lint and its types read it. */
const clientTypes: Check = {
  name: 'types of the API',
  command: process.execPath,
  args: ['test/support/client-types.ts'],
  dependsOn: ['platform', 'tools', 'server/docs', 'test/openapi/generate.ts', 'test/support/client-types.ts', 'package-lock.json'],
}
const application = 'server/web/portal'

// The longest first, for all begin at once.
const checks: readonly Check[] = [
  {
    name: 'lint',
    command: bin('oxlint'),
    args: ['--type-aware', '--deny-warnings', ...linted],
    dependsOn: [...linted, '.oxlintrc.json', 'tsconfig.json', 'package.json', 'package-lock.json'],
  },
  // By its own path: a package that wants another version of it may take its name in .bin. More checkers than cores look at the same types again.
  { name: 'types', command: process.execPath, args: [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--checkers', '2'] },
  {
    name: 'types of scripts',
    command: process.execPath,
    args: [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'server/web'],
    dependsOn: ['server/web', 'package-lock.json'],
  },
  {
    name: 'types of the application',
    command: process.execPath,
    args: [join(root, 'node_modules/typescript/bin/tsc'), '-p', application],
    dependsOn: [application, 'package-lock.json'],
  },
  { name: 'dead code', command: bin('knip'), args: ['--cache', '--cache-location', join(cache, 'knip')] },
  { name: 'documents', command: process.execPath, args: ['server/docs/write.ts', '--check'] },
  { name: 'format', command: bin('oxfmt'), args: ['--check', '.'] },
]

function run({ command, args }: Check): Promise<{ readonly isOk: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', (error) => resolve({ isOk: false, output: `${error.message}\n` }))
    child.once('close', (code) => resolve({ isOk: code === 0, output }))
  })
}

async function pass(check: Check): Promise<boolean> {
  const began = performance.now()
  const file = join(cache, `passed-${check.name}`)
  const fingerprint = check.dependsOn && (await fingerprintOf(root, check.dependsOn, check.args))
  const isUnchanged = fingerprint !== undefined && (await isKept(file, fingerprint))
  const { isOk, output } = isUnchanged ? { isOk: true, output: '' } : await run(check)
  // Somebody may have written meanwhile, and what was read then is anybody's guess.
  const isStill = fingerprint !== undefined && fingerprint === (await fingerprintOf(root, check.dependsOn ?? [], check.args))
  if (isOk && isStill) await keep(file, fingerprint)
  if (!isOk) process.stdout.write(output)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`${isOk ? 'ok  ' : 'FAIL'} ${check.name} (${seconds} s${isUnchanged ? ', unchanged since it passed' : ''})\n`)
  return isOk
}

if (!existsSync(join(root, application, 'api-types.d.ts'))) rmSync(join(cache, `passed-${clientTypes.name}`), { force: true })
const results = [await pass(clientTypes), ...(await Promise.all(checks.map(pass)))]
const passed = results.filter(Boolean).length
process.stdout.write(`\nchecks: ${passed} passed, ${results.length - passed} failed\n`)
process.exit(passed === results.length ? 0 : 1)
