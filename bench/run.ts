/** `npm run bench`: everything that is measured, in one run on this machine. Prints a table and writes it to bench/results/. */
import { measureMcp, measureRest } from './calls.ts'
import { openGround } from './ground.ts'
import { measures } from './workload.ts'

async function main(): Promise<void> {
  const only = process.argv[2]
  const ground = await openGround()
  try {
    for (const measure of measures(ground.ids)) {
      const t0 = performance.now()
      if (only && !measure.name.includes(only)) continue
      const r = await measureRest(ground, measure, Number(process.env['BENCH_ROUNDS'] ?? (measure.kind === 'bulk' ? 3 : 5)))
      console.log(r.name, r.ratio.toFixed(2), JSON.stringify(r), Math.round(performance.now()-t0))
    }
    console.log(JSON.stringify(await ground.holdings()))
    for (const measure of measures(ground.ids).slice(0, 3)) {
      if (only && only !== 'get') continue
      const r = await measureMcp(ground, measure, 5)
      console.log(r.name, r.ratio.toFixed(2), JSON.stringify(r))
    }
  } finally {
    await ground.close()
  }
}
await main()
