/**
 * `npm run bench -- import --rows 1000000`: a file of so many rows through a whole product with Temporal: imported while the server is killed in the middle,
 * imported again with nothing changed, imported once more and cancelled, and exported. Time, and the most memory that the server and its readers took.
 */
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'

import { openStack, type Stack } from '../test/day/stack.ts'
import { memoryOfProduct } from './memory.ts'
import { catalog, data } from './workload.ts'

interface Job {
  readonly jobId: number
  readonly state: string
  readonly progress: { readonly done: number; readonly total?: number }
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

interface Passage {
  readonly name: string
  readonly seconds: number
  readonly serverMegabytes: number
  readonly found: string
}

const say = (text: string) => void process.stdout.write(`${text}\n`)
const hasEnded = ({ state }: Job) => !['queued', 'running'].includes(state)
const limitMs = 60 * 60_000

function caller(stack: Stack) {
  return async (path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${stack.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stack.key}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
}

async function writeCsv(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path)
  const names = Object.keys(data(0))
  const line = (number: number) => [`meter-${number}`, ...Object.values(data(number))].map((value) => `"${String(value)}"`).join(',')
  file.write(`key1,${names.join(',')}\n`)
  for (let from = 0; from < rows; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => line(from + index))
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
  }
  file.end()
  await finished(file)
}

/** Takes the file in and measures each passage of it. */
export async function measureImports(rows: number): Promise<void> {
  const stack = await openStack({ CALLS_PER_MINUTE: '1000000' })
  const call = caller(stack)
  const passages: Passage[] = []
  /** Watches a job to its end; `at` is told of each look. */
  async function watch(
    name: string,
    begun: Promise<Record<string, unknown>>,
    at: (job: Job) => Promise<void> = async () => {},
  ): Promise<Job> {
    const startedAt = performance.now()
    const { jobId } = await begun
    let most = 0
    for (const until = Date.now() + limitMs; Date.now() < until; await pause(500)) {
      most = Math.max(most, memoryOfProduct(stack.pid).server)
      const job = (await call(`/jobs/${String(jobId)}`)) as unknown as Job
      if (hasEnded(job)) {
        const passage = {
          name,
          seconds: (performance.now() - startedAt) / 1_000,
          serverMegabytes: most,
          found: `${job.state} ${JSON.stringify(job.result ?? job.error ?? null).slice(0, 200)}`,
        }
        say(`  ${name}: ${passage.seconds.toFixed(0)} s, ${most.toFixed(0)} MB, ${passage.found}`)
        passages.push(passage)
        return job
      }
      await at(job)
    }
    throw new Error(`${name} did not end within ${limitMs / 60_000} minutes`)
  }
  try {
    await stack.ready()
    await call('/catalog/import', catalog)
    const path = join(stack.dataDir, 'meters.csv')
    await writeCsv(path, rows)
    const { size } = await stat(path)
    const { url, assetKey } = await call('/assets/upload-url', { fileName: 'meters.csv', mimeType: 'text/csv', sizeBytes: size })
    const put = await fetch(String(url), {
      method: 'PUT',
      body: Readable.toWeb(createReadStream(path)),
      duplex: 'half',
      headers: { 'content-type': 'text/csv', 'content-length': String(size) },
    })
    if (!put.ok) throw new Error(`The upload: ${put.status} ${await put.text()}`)
    await rm(path)
    const bring = () => call('/entities/Meter/instances/import', { assetKey, mapping: { key1: 'key1' } })

    let isKilled = false
    await watch(`import of ${(size / 1e6).toFixed(0)} MB, killed in the middle`, bring(), async ({ progress }) => {
      if (isKilled || progress.done < rows * 0.4) return
      isKilled = true
      await stack.killServer()
      stack.start()
      await stack.ready()
    })
    if (!isKilled) throw new Error('The import ended before it was killed: take more rows')
    const { count } = await call('/entities/Meter/instances/count', {})
    if (count !== rows) throw new Error(`${String(count)} records stand, not ${rows}`)

    await watch('the same again, nothing changed', bring())
    let cancelledAt = 0
    const cancelled = await watch('the same, cancelled on its way', bring(), async ({ jobId, progress }) => {
      if (cancelledAt > 0 || progress.done < rows * 0.2) return
      cancelledAt = performance.now()
      await call(`/jobs/${jobId}/cancel`)
    })
    say(`  from the cancel to the end ${((performance.now() - cancelledAt) / 1_000).toFixed(1)} s`)
    if (cancelled.state !== 'cancelled') throw new Error(`The cancelled import is ${cancelled.state}`)

    const { result } = await watch('export as CSV', call('/entities/Meter/instances/export', { format: 'csv' }))
    const file = await fetch(`${stack.url}/api/v1/assets/${String(result?.['assetKey'])}/download`, {
      headers: { authorization: `Bearer ${stack.key}` },
    })
    let lines = 0
    for await (const chunk of file.body ?? []) for (const byte of chunk as Uint8Array) if (byte === 10) lines++
    if (lines < rows) throw new Error(`The file has ${lines} lines`)
    say(`  the file has ${lines} lines`)
  } finally {
    await stack.stop()
  }
  const head = '| passage | seconds | most memory of the server, MB | found |\n| --- | --- | --- | --- |'
  const table = passages.map(
    ({ name, seconds, serverMegabytes, found }) =>
      `| ${[name, seconds.toFixed(0), serverMegabytes.toFixed(0), found.replaceAll('|', '/')].join(' | ')} |`,
  )
  const text = `# A file of ${rows.toLocaleString('en')} rows of 12 values\n\n${new Date().toISOString().slice(0, 10)}. Made by \`npm run bench -- import --rows ${rows}\`.\n\n${head}\n${table.join('\n')}\n`
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'import.md'), text)
  say(`\n${text}`)
}
