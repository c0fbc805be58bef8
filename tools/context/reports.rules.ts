/** The reports of a context: what each is called, which report it is, and what its parameters take from the rest of the bundle. */
import { pathText } from '#platform/issues.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import { mayHoldTokens, parseTemplate } from '#platform/tokens/template.ts'
import { type Finding, finding, readDraft, unknownName } from '#platform/validation.ts'
import { type Body, type Reference, referencesOfTokens, type Vocabulary } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { type NamedReports, readParams } from '#tools/reports/service.ts'

import { findNameProblem, type Plan, type PlannedReport, readContext, type ReadContext } from './context.rules.ts'
import { includedReport } from './context.schema.ts'
import { shapesOf } from './shapes.rules.ts'

type Place = readonly (string | number)[]

/** The reports that a body names, as they stand in it. */
export function reportSlots({ reports }: Body): (string | number)[] {
  if (!Array.isArray(reports)) return []
  return reports.flatMap((one: unknown) => {
    const slot = typeof one === 'object' && one !== null && 'report' in one ? one.report : undefined
    return typeof slot === 'string' || typeof slot === 'number' ? [slot] : []
  })
}

const maxDepth = 8

/** The texts with tokens in a value. */
export function textsWithTokens(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return mayHoldTokens(value) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  return Object.values(value).flatMap((one: unknown) => textsWithTokens(one, depth + 1))
}

/** The first names of the tokens in a value. */
function rootsIn(value: unknown): Set<string> {
  const parts = textsWithTokens(value).flatMap((text) => parseTemplate(text).parts)
  return new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part.path[0].name)))
}

/** What tokens name of the entity and of the includes beside it. An include keeps its own name, whatever its entity is called. */
function referencesOfParams({ entity, includes }: Plan, params: unknown, at: Place): Reference[] {
  const named = (names: Vocabulary['byIdOrName']) => referencesOfTokens({ entities: [entity], byIdOrName: names }, params, at)
  const ofIncludes = named(new Map(includes.map((one) => [one.name.toLowerCase(), one.entity])))
  return [
    ...named(new Map([[entity.internalName.toLowerCase(), entity]])),
    ...ofIncludes.filter(({ propertyId }) => propertyId !== undefined),
  ]
}

/** What is wrong with values that are known before the bundle is read; of the others, whether there is such a parameter. */
function findParamProblems(
  parameters: PlannedReport['report']['definition']['parameters'],
  params: PlannedReport['params'],
  at: string,
): Finding[] {
  const later = new Set(Object.keys(params).filter((name) => textsWithTokens(params[name]).length > 0))
  const known = new Set(parameters.map(({ name }) => name))
  const path = (one: Finding) => one.path.slice('$.params.'.length)
  return readParams(parameters, params)
    .findings.filter((one) => !(later.has(path(one)) && known.has(path(one))))
    .map((one) => ({ ...one, path: `${at}.${path(one)}` }))
}

/** Reads what stands beside the name of a context, with the reports that it names. */
export function readWhole(catalog: Catalog, body: Body, known: NamedReports): ReadContext {
  const read = readContext(catalog, body)
  const { plan } = read
  const said: readonly unknown[] = Array.isArray(body['reports']) ? body['reports'] : []
  if (!plan || said.length === 0) return read
  const findings: Finding[] = []
  const references: Reference[] = []
  const shapes = shapesOf(plan)
  const taken = new Map([
    [plan.entity.internalName.toLowerCase(), 'the entity'],
    ...(plan.hasUser ? [['user', 'the linked user'] as const] : []),
    ...plan.includes.map((one) => [one.name.toLowerCase(), 'an include'] as const),
  ])
  const reports = said.flatMap((raw, n): PlannedReport[] => {
    const at = ['reports', n]
    const one = readDraft(includedReport, raw, pathText(at))
    if (!one.isOk) {
      findings.push(...one.findings)
      return []
    }
    const { name, report: slot, params = {} } = one.value
    findings.push(...findNameProblem(name, taken, at))
    taken.set(name.toLowerCase(), 'another report')
    const report = known.byIdOrName.get(String(slot).toLowerCase())
    if (!report) {
      findings.push(unknownName(pathText([...at, 'report']), 'report', slot, known.names, 'list_reports'))
      return []
    }
    references.push({ at: [...at, 'report'], definitionId: report.reportId }, ...referencesOfParams(plan, params, [...at, 'params']))
    const { internalName, problem, definition } = report
    if (problem !== undefined)
      findings.push(finding(pathText([...at, 'report']), `The report ${internalName} cannot be run: ${problem} update_report mends it.`))
    const path = pathText([...at, 'params'])
    findings.push(...findParamProblems(definition.parameters, params, path), ...checkTokens(params, shapes, path))
    return [{ name, report, params, roots: rootsIn(params) }]
  })
  return {
    plan: { ...plan, reports },
    findings: [...read.findings, ...findings],
    references: [...read.references, ...references],
  }
}
