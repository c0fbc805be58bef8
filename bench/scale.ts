/**
 * `npm run bench -- scale`: what calls cost as an entity grows, and beside another product where `--peer directus` names one: the same rows, the same
 * PostgreSQL, no index made by hand on either side. CPU of all processes for each call, in rounds that take turns.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

import { type Answer, openLoad, type Request } from './load.ts'
import { openOurs } from './ours.ts'
import { openDirectus } from './peers/directus.ts'
import { cpuOfCluster, familyOf, cpuOf } from './processes.ts'
import { type ScaleMeasure, scaleMeasures } from './scale-workload.ts'
import { median } from './statistics.ts'

/** A product that is measured: it serves the rows that it was filled with. */
export interface Product {
  readonly name: string
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly pid: number
  /** The request of a call; undefined where the product has no such thing. */
  request(measure: ScaleMeasure, number: number): Omit<Request, 'headers'> | undefined
  /** Makes ready for reads that were warmed: whatever the product does by itself in time. */
  settle?(): Promise<string>
  close(): Promise<void>
}

interface Found {
  readonly measure: string
  /** Milliseconds of CPU by product. */
  readonly cost: Readonly<Record<string, number>>
}

const say = (text: string) => void process.stdout.write(`${text}\n`)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const millisecondsOfARound = 1_500

/** CPU of a product and of PostgreSQL for each of some calls. */
async function costOf(product: Product, postmaster: number, measure: ScaleMeasure, from: number, count: number): Promise<number> {
  const load = openLoad(product.origin, measure.isAlone ? 1 : 4)
  const requests = Array.from({ length: count }, (_, index) => product.request(measure, from + index))
  const cpu = () => cpuOfCluster(postmaster) + familyOf(product.pid).reduce((sum, pid) => sum + cpuOf(pid), 0)
  const check = ({ status, text }: Answer) => {
    if (status >= 300 || (measure.atLeast !== undefined && text.length < measure.atLeast))
      throw new Error(`${product.name}, ${measure.name}: ${status} ${text.slice(0, 300)}`)
  }
  try {
    const before = cpu()
    await load.run((index) => ({ ...(requests[index] as Omit<Request, 'headers'>), headers: product.headers }), 0, count, check)
    return (cpu() - before) / count
  } finally {
    await load.close()
  }
}

/** How many calls make a round long enough to be counted in ticks of the processor's clock. */
async function callsOfARound(product: Product, measure: ScaleMeasure): Promise<number> {
  const startedAt = performance.now()
  await costOf(product, 0, measure, 0, 2)
  const each = (performance.now() - startedAt) / 2
  return Math.max(2, Math.min(measure.most ?? 1_000, Math.round(millisecondsOfARound / each)))
}

async function measureAll(products: readonly Product[], postmaster: number, measures: readonly ScaleMeasure[]): Promise<Found[]> {
  const found: Found[] = []
  for (const measure of measures) {
    const able = products.filter((product) => product.request(measure, 0) !== undefined)
    const calls = new Map<string, number>()
    for (const product of able) calls.set(product.name, await callsOfARound(product, measure))
    const costs = new Map<string, number[]>(able.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const product of able) {
        const count = calls.get(product.name) ?? 2
        costs.get(product.name)?.push(await costOf(product, postmaster, measure, 10 + round * count, count))
      }
    }
    const cost = Object.fromEntries([...costs].map(([name, each]) => [name, median(each)]))
    found.push({ measure: measure.name, cost })
    say(
      `  ${measure.name}: ${Object.entries(cost)
        .map(([name, ms]) => `${name} ${ms.toPrecision(3)} ms`)
        .join(', ')}`,
    )
  }
  return found
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function report(
  sizes: readonly { readonly rows: number; readonly found: readonly Found[]; readonly settled: string }[],
  peer: string | undefined,
): string {
  const names = sizes[0]?.found.map(({ measure }) => measure) ?? []
  const costOfName = (size: (typeof sizes)[number], name: string, product: string) =>
    size.found.find(({ measure }) => measure === name)?.cost[product]
  const shown = (ms: number | undefined) => (ms === undefined ? '' : ms.toPrecision(3))
  const head = ['call', ...sizes.flatMap(({ rows }) => [`${rows.toLocaleString('en')} rows`, ...(peer ? [peer, 'ratio'] : [])])]
  const body = names.map((name) => [
    name,
    ...sizes.flatMap((size) => {
      const [ours, theirs] = [costOfName(size, name, 'Fieldloop'), peer && costOfName(size, name, peer)]
      return [shown(ours), ...(peer ? [shown(theirs || undefined), ours && theirs ? (theirs / ours).toFixed(1) : ''] : [])]
    }),
  ])
  return [
    `# What calls cost as records grow`,
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}. Made by \`npm run bench -- scale${peer ? ` --peer ${peer.toLowerCase()}` : ''}\`. CPU in ms for each call, of the product's processes and PostgreSQL together, the median of ${rounds} rounds that take turns${peer ? '; a ratio above 1 is one where Fieldloop takes less' : ''}. No index was made by hand.`,
    table(head, body),
    ...sizes.map(({ rows, settled }) => `At ${rows.toLocaleString('en')} rows Fieldloop made by itself: ${settled}.`),
  ].join('\n\n')
}

/** Measures each size on a ground of its own. */
export async function measureScale(options: {
  readonly sizes: readonly number[]
  readonly peer: string | undefined
  readonly only: string
}): Promise<void> {
  if (options.peer !== undefined && options.peer !== 'directus') throw new Error(`There is no peer ${options.peer}. Known: directus.`)
  const results = []
  for (const rows of options.sizes) {
    say(`${rows.toLocaleString('en')} rows: filling`)
    const ground = await openOurs(rows)
    const products: Product[] = [ground.product]
    try {
      if (options.peer) products.push(await openDirectus({ ownerUrl: ground.superuserUrl, rows }))
      const measures = scaleMeasures(rows, ground.ids).filter(({ name }) => name.includes(options.only))
      if (measures.length === 0) throw new Error(`No measure is named like "${options.only}"`)
      say('  asked several times, as in use')
      for (const product of products)
        for (const measure of measures.filter(({ isRead }) => isRead))
          if (product.request(measure, 0)) await costOf(product, ground.postmaster, measure, 0, 6)
      const settled = (await ground.product.settle?.()) ?? ''
      say(`  ${settled}`)
      results.push({ rows, found: await measureAll(products, ground.postmaster, measures), settled })
    } finally {
      for (const product of products.toReversed()) await product.close()
    }
  }
  const text = report(results, options.peer && 'Directus')
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  if (options.only === '') writeFileSync(join(folder, options.peer ? `scale-${options.peer}.md` : 'scale.md'), `${text}\n`)
  say(`\n${text}`)
}
