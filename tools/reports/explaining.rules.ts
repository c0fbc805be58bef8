/** A plan in words: what a report costs, what serves it, and what would help. */
import type { PlannedRead, PlannedReport } from '#tools/query/service.ts'

export interface Explained {
  readonly verdict: 'light' | 'moderate' | 'heavy'
  readonly summary: string
  readonly reads: { of: string; by: string; estimatedRows: number | null }[]
  readonly advice: string[]
}

/** In the planner's units, of which reading a page of a table from disk is one. */
const moderateFrom = 5_000
const heavyFrom = 200_000
/** Reading fewer one by one is no trouble. */
const manyRows = 10_000
const toldAtMost = 20

const thingOf = ({ entity, isHistory }: PlannedRead) =>
  entity === undefined ? 'links between peers' : isHistory ? `earlier versions of ${entity}` : entity

const count = (rows: number) => rows.toLocaleString('en-US')

/** `tellsRows`: whether the caller may know how many records there are. */
export function explain(
  { cost, reads }: PlannedReport,
  report: { readonly isVariance: boolean; readonly isPast: boolean },
  tellsRows: boolean,
): Explained {
  const verdict = cost >= heavyFrom ? 'heavy' : cost >= moderateFrom ? 'moderate' : 'light'
  // A statement looks more than once where it also counts; the same look is told once.
  const shown = [...Map.groupBy(reads, (read) => `${thingOf(read)} ${read.index ?? ''}`).values()]
    .flatMap((same) => same.reduce((a, b) => (b.rows > a.rows ? b : a)))
    .slice(0, toldAtMost)
  const told = shown.map((read) => {
    const by = read.index === undefined ? 'one by one' : `the index of ${read.index}`
    const rows = tellsRows ? `, about ${count(read.rows)} ${read.rows === 1 ? 'row' : 'rows'}` : ''
    return `${thingOf(read)}: ${read.index === undefined ? 'read one by one' : `found by ${by}`}${rows}.`
  })
  const scanned = [
    ...new Set(
      reads
        .filter((read) => read.index === undefined && read.entity !== undefined && !read.isHistory && (!tellsRows || read.rows >= manyRows))
        .map((read) => read.entity ?? ''),
    ),
  ]
  const advice = [
    ...(scanned.length > 0 && verdict !== 'light'
      ? [
          `A filter that leaves few records of ${scanned.join(', ')} would help. An index of what is filtered by is made by itself once such queries are slow again and again.`,
        ]
      : []),
    ...(report.isVariance
      ? ['Each snapshot reads its records anew: a shorter range, or a coarser cadence, costs less in proportion.']
      : []),
    ...(report.isPast && !report.isVariance
      ? ['As of a time, earlier versions are read beside the present ones; without asOfDate it costs less.']
      : []),
    ...(verdict === 'heavy' ? ['export_report does it in a job where it takes longer than a call may.'] : []),
  ]
  const sentence = { light: 'This costs little.', moderate: 'This costs something.', heavy: 'This is expensive.' }[verdict]
  return {
    verdict,
    summary: [sentence, ...told, ...(advice.length === 0 ? ['Nothing needs to be done.'] : advice)].join(' '),
    reads: shown.map((read) => ({ of: thingOf(read), by: read.index ?? 'scan', estimatedRows: tellsRows ? Math.round(read.rows) : null })),
    advice,
  }
}
