/**
 * What runs of workflows cost: commit to the first step, three-step runs a second and their CPU, each beside Temporal alone doing three activities that write
 * one row each; and the memory of runs that wait; open awaits, saves beside watchers, deliveries. `npm run bench -- flows`, or a part of it: `flows runs`,
 * `flows awaits`, `flows events`. BENCH_RUNS, BENCH_WAITING, BENCH_AWAITS, BENCH_DELIVERIES and BENCH_ROUNDS set the sizes.
 */
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import { z } from 'zod'

import { connect, type DayClient } from '../test/day/client.ts'
import { openStack, type Stack } from '../test/day/stack.ts'

import { type EventsResult, measureEvents } from './events.ts'
import { openGround } from './ground.ts'
import { cpuOfProduct, type Memory, memoryOfProduct } from './memory.ts'
import { cpuOf } from './processes.ts'
import type { FromRaw, ToRaw } from './raw-temporal.ts'
import { median, percentile, round } from './statistics.ts'
import { measureWaking, type WakingResult } from './waking.ts'

export interface FlowSizes {
  readonly runs: number
  readonly waiting: number
  readonly awaits: number
  readonly deliveries: number
  readonly rounds: number
  /** One of the parts; empty: all. */
  readonly only: string
}

/** Milliseconds. */
interface Spread {
  readonly p50: number
  readonly p99: number
}

/** Of one side: runs a second, and milliseconds of CPU of a run by who used it. */
interface Carried {
  /** From the commit of a start to the first step; of Temporal alone from asking for it. */
  readonly first: Spread
  readonly aSecond: number
  readonly cpu: { readonly node: number; readonly postgres: number; readonly temporal: number }
}

interface FlowResult {
  readonly ours: Carried
  /** From the commit of the record that starts a run to its first step. */
  readonly afterEvent: Spread
  readonly raw: Carried
  readonly waiting: { readonly runs: number; readonly before: Memory; readonly after: Memory }
}

const say = (text: string) => void process.stdout.write(`${text}\n`)
const spread = (values: readonly number[]): Spread => ({ p50: median(values), p99: percentile(values, 0.99) })
const atOnce = 16

const save = (step: string) => ({
  internalName: step,
  stepType: 'saveRecord',
  config: { entity: 'Note', key1: `[[$run.number]]-${step}`, values: { Text: 'written' } },
})
const ask = { internalName: 'ask', stepType: 'approval', config: { question: 'Is it complete?' } }

async function publish(client: DayClient, internalName: string, steps: readonly object[], more: object = {}): Promise<void> {
  const displays = [{ languageCode: 'en-US', name: internalName }]
  await client.tool('import_workflow', { internalName, displays, roles: ['DataView', 'DataEdit'], steps, triggers: [], ...more })
  await client.tool('publish_workflow', { workflow: internalName })
}

async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function untilTrue(what: string, isSo: () => Promise<boolean>, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`${what} took longer than ${limitMs / 1_000} s`)
    await new Promise((next) => setTimeout(next, 20))
  }
}

async function superuser(stack: Stack): Promise<string> {
  const [port, credentials] = await Promise.all(
    ['postgres.port', 'postgres-credentials.json'].map((name) => readFile(join(stack.dataDir, name), 'utf8')),
  )
  const { superuser: password } = z.object({ superuser: z.string() }).parse(JSON.parse(credentials ?? ''))
  return `postgres://postgres:${password}@127.0.0.1:${Number(port)}/fieldloop`
}

/** Has PostgreSQL keep the time of each commit, for which it must be started again. */
async function keepCommitTimes(stack: Stack): Promise<postgres.Sql> {
  const sql = postgres(await superuser(stack), { max: 1, onnotice: () => {} })
  await sql`alter system set track_commit_timestamp = on`
  await stack.killServer()
  await stack.killMatching(/./)
  stack.start()
  await stack.ready()
  return sql
}

/** From the commit that started a run to the beginning of its first step, in milliseconds. The first line of a log is written with the run and never changed. */
async function firstSteps(sql: postgres.Sql, ids: readonly number[]): Promise<number[]> {
  const rows = await sql<{ ms: number }[]>`
    select extract(epoch from s.begun_at - pg_xact_commit_timestamp(l.xmin))::float8 * 1000 as ms
    from platform.workflow_log l join platform.workflow_step_run s using (tenant_id, run_id)
    where l.run_id = any (${[...ids]}::bigint[]) and l.seq = 1 and s.step_no = 1`
  if (rows.length !== ids.length) throw new Error(`${rows.length} of ${ids.length} runs have begun`)
  return rows.map(({ ms }) => ms)
}

/** The same from the commit of the record that started it, whose event holds the number of its transaction. */
async function firstStepsAfter(sql: postgres.Sql, records: readonly number[]): Promise<number[]> {
  const rows = await sql<{ ms: number }[]>`
    select extract(epoch from s.begun_at - pg_xact_commit_timestamp((e.batch % 4294967296)::text::xid))::float8 * 1000 as ms
    from platform.workflow_run r join platform.workflow_step_run s using (tenant_id, run_id)
      join platform.event e on e.tenant_id = r.tenant_id and e.kind = 'record.created' and e.record_ids = array[r.ei_record_id]
    where r.ei_record_id = any (${[...records]}::bigint[]) and s.step_no = 1`
  if (rows.length !== records.length) throw new Error(`${rows.length} of ${records.length} records have started a run`)
  return rows.map(({ ms }) => ms)
}

async function runsOver(sql: postgres.Sql, ids: readonly number[]): Promise<boolean> {
  const [row] = await sql<{ left: number; failed: number }[]>`
    select count(*) filter (where finished_date is null)::int as left, count(*) filter (where state = 'failed')::int as failed
    from platform.workflow_run where run_id = any (${[...ids]}::bigint[])`
  if ((row?.failed ?? 0) > 0) throw new Error(`${row?.failed} runs failed`)
  return row?.left === 0
}

const start = async (client: DayClient, workflow: string): Promise<number> => {
  const { workflowInstanceId } = await client.rest('POST', `/api/v1/workflows/${workflow}/start`, {})
  return z.number().parse(workflowInstanceId)
}

interface Used {
  readonly node: number
  readonly postgres: number
  readonly temporal: number
}

const minus = (a: Used, b: Used): Used => ({ node: a.node - b.node, postgres: a.postgres - b.postgres, temporal: a.temporal - b.temporal })
const over = (a: Used, count: number): Used => ({ node: a.node / count, postgres: a.postgres / count, temporal: a.temporal / count })

/** What is used by `work` beyond what the product uses at rest, and how long it took. */
async function usedBy(read: () => Used, idle: Used, work: () => Promise<void>): Promise<{ used: Used; seconds: number }> {
  const [before, from] = [read(), performance.now()]
  await work()
  const seconds = (performance.now() - from) / 1_000
  return { used: minus(minus(read(), before), over(idle, 1 / seconds)), seconds }
}

async function idleOf(read: () => Used): Promise<Used> {
  const before = read()
  await new Promise((next) => setTimeout(next, 5_000))
  return over(minus(read(), before), 5)
}

async function measureOurs(stack: Stack, client: DayClient, sql: postgres.Sql, runs: number): Promise<Carried> {
  await publish(client, 'Three', ['a', 'b', 'c'].map(save))
  const one = () => start(client, 'Three')
  const alone: number[] = []
  for (let index = -5; index < Math.min(runs, 200); index++) {
    const id = await one()
    await untilTrue('A run', () => runsOver(sql, [id]), 60_000)
    if (index >= 0) alone.push(id)
  }
  const read = (): Used => {
    const { server, postgres: database, temporal } = cpuOfProduct(stack.pid)
    return { node: server, postgres: database, temporal }
  }
  const idle = await idleOf(read)
  const ids: number[] = []
  const { used, seconds } = await usedBy(read, idle, async () => {
    await eachOf(runs, async () => void ids.push(await one()))
    await untilTrue('The runs', () => runsOver(sql, ids), 600_000)
  })
  return { first: spread(await firstSteps(sql, alone)), aSecond: runs / seconds, cpu: over(used, runs) }
}

async function measureAfterEvents(client: DayClient, sql: postgres.Sql, runs: number): Promise<Spread> {
  const triggers = [{ triggerType: 'recordCreated', config: { entity: 'Order' } }]
  await publish(client, 'AfterOrder', ['a', 'b', 'c'].map(save), { entity: 'Order', triggers })
  const records: number[] = []
  for (let index = -5; index < Math.min(runs, 200); index++) {
    const { eiRecordId } = await client.tool('save_instance', { entity: 'Order', key1: `o${index}`, data: { Text: 'ordered' } })
    const isOver = async () => {
      const rows = await sql`select 1 from platform.workflow_run where ei_record_id = ${eiRecordId} and finished_date is not null`
      return rows.length === 1
    }
    await untilTrue('The run of a record', isOver, 60_000)
    if (index >= 0) records.push(eiRecordId)
  }
  return spread(await firstStepsAfter(sql, records))
}

async function measureRaw(stack: Stack, runs: number): Promise<Carried> {
  const address = `127.0.0.1:${Number(await readFile(join(stack.dataDir, 'temporal.port'), 'utf8'))}`
  const raw = fork(join(import.meta.dirname, 'raw-temporal.ts'), [address, 'default', await superuser(stack)])
  const heard = () =>
    new Promise<FromRaw>((resolve, reject) => {
      raw.once('message', (said) => resolve(said as FromRaw))
      raw.once('exit', (code) => reject(new Error(`The bare worker ended with ${code}`)))
    })
  const ask = async (order: ToRaw) => {
    const answer = heard()
    raw.send(order)
    const said = await answer
    if ('ready' in said) throw new Error('The bare worker answered something else')
    return said
  }
  try {
    await heard()
    await ask({ runs: 5, atOnce: 1 })
    const { firstMs } = await ask({ runs: Math.min(runs, 200), atOnce: 1 })
    const read = (): Used => {
      const { postgres: database, temporal } = cpuOfProduct(stack.pid)
      return { node: cpuOf(raw.pid ?? 0), postgres: database, temporal }
    }
    const idle = await idleOf(read)
    let tookMs = 0
    const { used } = await usedBy(read, idle, async () => void ({ tookMs } = await ask({ runs, atOnce: 48 })))
    return { first: spread(firstMs), aSecond: (runs * 1_000) / tookMs, cpu: over(used, runs) }
  } finally {
    raw.removeAllListeners('exit')
    raw.kill('SIGKILL')
  }
}

async function measureWaitingRuns(stack: Stack, client: DayClient, sql: postgres.Sql, runs: number): Promise<FlowResult['waiting']> {
  await publish(client, 'Ask', [ask])
  const before = memoryOfProduct(stack.pid)
  const ids: number[] = []
  await eachOf(runs, async () => void ids.push(await start(client, 'Ask')))
  const allWait = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from platform.workflow_run where run_id = any (${ids}::bigint[]) and state = 'waiting'`
    return row?.count === runs
  }
  await untilTrue('Waiting', allWait, 1_800_000)
  return { runs, before, after: memoryOfProduct(stack.pid) }
}

async function measureRuns({ runs, waiting }: FlowSizes): Promise<FlowResult> {
  const stack = await openStack({ CALLS_PER_MINUTE: '1000000000', STARTS_PER_MINUTE: '1000000' })
  try {
    await stack.ready()
    const sql = await keepCommitTimes(stack)
    const client = await connect(stack.url, stack.key)
    try {
      await client.tool('import_catalog', {
        properties: [{ internalName: 'Text', dataType: 'Text' }],
        entities: ['Note', 'Order'].map((internalName) => ({ internalName, properties: [{ property: 'Text' }] })),
      })
      const ours = await measureOurs(stack, client, sql, runs)
      say(`  three steps: ${round(ours.aSecond)} runs a second, first step after ${round(ours.first.p50)} ms`)
      const afterEvent = await measureAfterEvents(client, sql, runs)
      say(`  commit of a record to the first step of its run: ${round(afterEvent.p50)} ms`)
      const raw = await measureRaw(stack, runs)
      say(`  Temporal alone: ${round(raw.aSecond)} runs a second, first activity after ${round(raw.first.p50)} ms`)
      return { ours, afterEvent, raw, waiting: await measureWaitingRuns(stack, client, sql, waiting) }
    } finally {
      await client.close()
      await sql.end()
    }
  } finally {
    await stack.stop()
  }
}

async function measureAwaits({ awaits }: FlowSizes): Promise<WakingResult> {
  const ground = await openGround()
  try {
    return await measureWaking(ground, { awaits, replies: Math.min(300, awaits) })
  } finally {
    await ground.close()
  }
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`

const table = (head: readonly string[], body: readonly (readonly (string | number)[])[]) =>
  [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')

function runsReport({ ours, afterEvent, raw, waiting }: FlowResult): string {
  const total = ({ cpu }: Carried) => cpu.node + cpu.postgres + cpu.temporal
  const beside = [
    ['commit of a start to the first step, p50', `${round(ours.first.p50)} ms`, `${round(raw.first.p50)} ms`],
    ['p99', `${round(ours.first.p99)} ms`, `${round(raw.first.p99)} ms`],
    ['commit of a record to the first step of the run that it starts, p50', `${round(afterEvent.p50)} ms`, ''],
    ['p99', `${round(afterEvent.p99)} ms`, ''],
    ['runs of three steps a second', round(ours.aSecond), round(raw.aSecond)],
    ['CPU of a run', `${round(total(ours))} ms`, `${round(total(raw))} ms`],
    ...(['node', 'postgres', 'temporal'] as const).map((part) => [
      `of it ${part}`,
      `${round(ours.cpu[part])} ms`,
      `${round(raw.cpu[part])} ms`,
    ]),
  ]
  const memory = (['server', 'postgres', 'temporal'] as const).map((part) => [
    part,
    `${Math.round(waiting.before[part])} MB`,
    `${Math.round(waiting.after[part])} MB`,
  ])
  return [
    'Three steps that each save a record, against a bare worker whose three activities each write one row, on the same Temporal and PostgreSQL; each side starts its runs in a process of its own, as many at once as it takes.',
    table(['measure', 'ours', 'Temporal alone'], beside),
    table(['memory', 'at rest', `with ${waiting.runs} runs that wait for a person`], memory),
  ].join('\n\n')
}

function awaitsReport({ awaits, sendToWake, sendToSaved, serverBefore, serverDuring }: WakingResult): string {
  return `With ${awaits} open awaits, from sending a reply to the answer of its await: p50 ${round(sendToWake.p50)} ms, p99 ${round(sendToWake.p99)} ms; of it, to the answer of the reply itself, p50 ${round(sendToSaved.p50)} ms, p99 ${round(sendToSaved.p99)} ms. The server's memory went from ${Math.round(serverBefore)} to ${Math.round(serverDuring)} MB.`
}

function eventsReport({ saves, carrying, deliveries }: EventsResult): string {
  const carried = (name: string) => (carrying[name] === undefined ? '' : `${carrying[name]} ms`)
  const rows = Object.entries(saves).map(([name, cost]) => [name, name === 'alone' ? `${cost} ms` : `${cost} × alone`, carried(name)])
  const { arrived, seconds, aSecond } = deliveries
  return [
    table(['CPU of a save beside watchers', 'found', 'of carrying it on'], rows),
    `${arrived} deliveries to nine targets beside one that never answers: ${seconds} s, ${aSecond} a second.`,
  ].join('\n\n')
}

/** Measures the parts, prints what it found and writes it to bench/results/flows.md, or flows-<part>.md of a part. */
export async function measureFlows(sizes: FlowSizes): Promise<void> {
  const from = performance.now()
  const parts: readonly (readonly [name: string, saying: string, measure: () => Promise<string>])[] = [
    ['runs', 'Starting a whole product with Temporal', async () => runsReport(await measureRuns(sizes))],
    ['awaits', 'Opening awaits', async () => awaitsReport(await measureAwaits(sizes))],
    ['events', 'Saving beside watchers, and delivering', async () => eventsReport(await measureEvents(sizes))],
  ]
  const wanted = parts.filter(([name]) => name.includes(sizes.only))
  if (wanted.length === 0) throw new Error(`There is no part ${sizes.only}: ${parts.map(([name]) => name).join(', ')}`)
  const found: string[] = []
  for (const [name, saying, measure] of wanted) {
    say(saying)
    found.push(`## ${name}`, await measure())
  }
  const seconds = Math.round((performance.now() - from) / 1_000)
  const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.versions.node}; ${seconds} s. Made by \`npm run bench -- flows\`. Trust the ratios, not the absolute figures.`
  const text = `${[`# Runs of workflows, ${new Date().toISOString().slice(0, 10)}`, machine, ...found].join('\n\n')}\n`
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, wanted.length === parts.length ? 'flows.md' : `flows-${sizes.only}.md`), text)
  say(`\n${text}`)
}
