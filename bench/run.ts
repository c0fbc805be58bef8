/**
 * `npm run bench`: everything that is measured, in one run on this machine. Prints a table with the aims and writes it to bench/results/. With an
 * argument, the REST measures whose name holds it, printed alone: for work on one of them; `outbox`, the claims of the relay; `events`, what events cost
 * (BENCH_DELIVERIES); `faults`, so many runs with people under kill -9 (BENCH_RUNS, BENCH_KILLS, BENCH_SEED); `import`, a file of so many rows
 * (`--rows 1000000`) in and out; `flows`, what runs of workflows do; `page`, what a slow phone waits for (of the product at PORTAL_URL with BENCH_PASSWORD, if told). BENCH_ROUNDS sets their rounds. `scale` measures calls as
 * records grow (`--rows 10000,100000`), beside another product with `--peer directus`; a further argument narrows it to measures of that name.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { type McpResult, measureMcp, measureRest, type RestResult } from './calls.ts'
import { measureEvents } from './events.ts'
import { measureFaults } from './faults.ts'
import { measureFirstPage } from './first-page.ts'
import { measureFlows } from './flows.ts'
import { type Ground, openGround } from './ground.ts'
import { measureClaims } from './outbox.ts'
import { report, type BenchResult } from './report.ts'
import { measureImports } from './imports.ts'
import { measureScale } from './scale.ts'
import { measureWaking, type WakingResult } from './waking.ts'
import { measureWorkflows } from './workflows.ts'
import { measures } from './workload.ts'

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)

const say = (text: string) => void process.stdout.write(`${text}\n`)

async function measureCalls(ground: Ground, wanted: string): Promise<RestResult[]> {
  const results: RestResult[] = []
  for (const measure of measures(ground.ids).filter(({ name }) => name.includes(wanted))) {
    const result = await measureRest(ground, measure, rounds)
    say(`  ${measure.name}: ${result.ratio.toFixed(2)} × bare`)
    results.push(result)
  }
  if (results.length === 0) throw new Error(`No measure is named like "${wanted}"`)
  const { served, replayed } = await ground.holdings()
  if (JSON.stringify(served) !== JSON.stringify(replayed)) {
    throw new Error(`The bare client left other data: ${JSON.stringify(replayed)} instead of ${JSON.stringify(served)}`)
  }
  return results
}

async function onGround(): Promise<{ rest: RestResult[]; mcp: McpResult[]; waking: WakingResult }> {
  say('Setting up PostgreSQL, the server, the bare client and the echo')
  const ground = await openGround()
  try {
    const rest = await measureCalls(ground, '')
    const mcp: McpResult[] = []
    for (const measure of measures(ground.ids).filter(({ kind }) => kind === 'read')) {
      const result = await measureMcp(ground, measure, rounds)
      say(`  ${result.name}: ${result.ratio.toFixed(2)} × REST`)
      mcp.push(result)
    }
    const waking = await measureWaking(ground)
    say(`  send to wake: ${waking.sendToWake.p50.toFixed(1)} ms`)
    return { rest, mcp, waking }
  } finally {
    await ground.close()
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { peer: { type: 'string' }, rows: { type: 'string' } } })
  const [wanted, only = ''] = positionals
  if (wanted === 'scale' || values.peer !== undefined) {
    const sizes = (values.rows ?? '10000,100000').split(',').map(Number)
    await measureScale({ sizes, peer: values.peer, only })
    return
  }
  if (wanted === 'import') {
    await measureImports(Number(values.rows ?? 1_000_000))
    return
  }
  if (wanted === 'faults') {
    await measureFaults(say)
    return
  }
  if (wanted === 'page') {
    await measureFirstPage(say, { rounds, portalUrl: process.env['PORTAL_URL'], password: process.env['BENCH_PASSWORD'] })
    return
  }
  if (wanted === 'outbox') {
    say(JSON.stringify(await measureClaims(), null, 2))
    return
  }
  if (wanted === 'flows') {
    const size = (name: string, unlessTold: number) => Number(process.env[name] ?? unlessTold)
    await measureFlows({
      runs: size('BENCH_RUNS', 1_000),
      waiting: size('BENCH_WAITING', 10_000),
      awaits: size('BENCH_AWAITS', 10_000),
      deliveries: size('BENCH_DELIVERIES', 10_000),
      rounds,
      only,
    })
    return
  }
  if (wanted === 'events') {
    say(JSON.stringify(await measureEvents({ rounds, deliveries: Number(process.env['BENCH_DELIVERIES'] ?? 10_000) }), null, 2))
    return
  }
  if (wanted !== undefined) {
    const ground = await openGround()
    try {
      say(JSON.stringify(await measureCalls(ground, wanted), null, 2))
    } finally {
      await ground.close()
    }
    return
  }
  const startedAt = performance.now()
  const date = new Date().toISOString()
  const calls = await onGround()
  say('Filling outboxes')
  const claims = await measureClaims()
  say('Starting a whole product with Temporal')
  const workflows = await measureWorkflows()
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: totalmem() / 1024 ** 3,
    node: process.versions.node,
  }
  const result: BenchResult = { date, machine, seconds: (performance.now() - startedAt) / 1000, ...calls, claims, workflows }
  const text = report(result)
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${date.slice(0, 10)}.json`), `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(folder, 'latest.md'), text)
  say(`\n${text}`)
}

main().catch((error: unknown) => {
  process.stderr.write(`\nThe benchmark stopped. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
})
