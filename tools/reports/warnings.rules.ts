/** What a report may say without being wrong, and which its author hardly means. */
import { type Finding, finding } from '#platform/validation.ts'
import type { Output, Report } from '#tools/query/service.ts'

type Source = Report['tables']['root']

/** The joins that may put several records beside one, by the join that they belong to. */
function manyOf({ tables }: Report) {
  return tables.joins.filter(({ link }) => link !== 'parent')
}

/** The records that lead from the first to these, these among them. */
function wayTo({ tables }: Report, source: Source): ReadonlySet<Source> {
  const way = new Set([source])
  for (let at = source; ;) {
    const join = tables.joins.find((one) => one.source === at)
    if (!join) return way
    way.add(join.from)
    at = join.from
  }
}

/** Whether a value stands in more rows than it has records: beside it stand several of something that it does not belong to. */
function multipliers(report: Report, source: Source): string[] {
  const way = wayTo(report, source)
  const beside = manyOf(report).filter((join) => !way.has(join.source))
  // One that others lead to stands beside each of them.
  const shared = report.tables.joins.filter((join) => join.link !== 'child' && way.has(join.source))
  const several = [...beside.map((join) => join.source), ...shared.map((join) => join.from)]
  return [...new Set(several)].map((one) => report.tables.names.get(one) ?? one.entity.internalName)
}

/** An aggregate that does not mind how often a value stands there. */
function mindsNot({ made }: Output): boolean {
  return made.kind !== 'aggregate' || made.isDistinct || made.fn === 'MIN' || made.fn === 'MAX'
}

export function findWarnings(report: Report, path: string): Finding[] {
  const { outputs, tables } = report
  const aggregates = outputs.filter(({ made }) => made.kind === 'aggregate')
  const multiplied = aggregates.flatMap((output, index) => {
    const { made } = output
    if (made.kind !== 'aggregate' || mindsNot(output)) return []
    const source = made.field?.source ?? made.of
    const by = source ? multipliers(report, source) : []
    if (by.length === 0) return []
    const message = `${output.name} counts each value once for every ${by.join(' and ')} beside it. Aggregate it in a report without that join, or say distinct.`
    return [finding(`${path}.aggregates[${index}]`, message, { severity: 'warning' })]
  })
  const undone = tables.joins.flatMap((join, index) => {
    if (join.mode === 'left') return []
    const before = tables.joins.find((one) => one.source === join.from)
    if (before?.mode !== 'left') return []
    const [name, from] = [join.source, join.from].map((one) => tables.names.get(one) ?? one.entity.internalName)
    const message = `The inner join of ${name} leaves out rows without a ${from}, which is joined left: join ${name} left too.`
    return [finding(`${path}.joins[${index}].joinMode`, message, { severity: 'warning', suggestion: 'left' })]
  })
  return [...multiplied, ...undone]
}
