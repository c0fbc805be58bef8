/** What a definition of a report says, held against the catalog as it is today. */
import { misnamed } from '#platform/field-synonyms.ts'
import { pageSizeMax } from '#platform/paging.ts'
import { quoted } from '#platform/suggest.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { Body, Definition } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { type Report, readStoredReport } from '#tools/query/service.ts'

import { type Computed, readComputed } from './computed.rules.ts'
import { type Parameter, readParameters, shapesOf, tokenPlaces } from './params.rules.ts'
import { findWarnings } from './warnings.rules.ts'

const keys = [
  'primaryEntityId',
  'joinMode',
  'joins',
  'columns',
  'groupBy',
  'aggregates',
  'computed',
  'filters',
  'having',
  'sort',
  'page',
  'pageSize',
  'asOfDate',
  'variance',
  'parameters',
]

const ofVariance = ['dateFrom', 'dateTo', 'cadence']

/** A definition, read. */
export interface ReadDefinition {
  readonly parameters: readonly Parameter[]
  readonly computed: readonly Computed[]
  readonly page: number | undefined
  readonly pageSize: number | undefined
  /** As far as it can be read without values; undefined where its first entity is not known. */
  readonly report: Report | undefined
  readonly findings: readonly Finding[]
}

function readCount(
  said: unknown,
  most: number,
  path: string,
): { readonly count: number | undefined; readonly findings: readonly Finding[] } {
  if (said === undefined || said === null) return { count: undefined, findings: [] }
  if (typeof said === 'number' && Number.isInteger(said) && said >= 1 && said <= most) return { count: said, findings: [] }
  return { count: undefined, findings: [finding(path, `Expected a whole number from 1 to ${most}, got ${quoted(said)}.`)] }
}

/** Reads the JSON of a report; `path` is where it stands in what the findings are about. */
export function readDefinition(catalog: Catalog, body: Body, path = '$.definitionJson'): ReadDefinition {
  const unknown = Object.keys(body)
    .filter((key) => !keys.includes(key))
    .slice(0, 20)
    .map((key) => {
      // Settings of variance, which is an object of its own; as times of a report they would lead to asOfDate.
      if (ofVariance.includes(key)) return finding(`${path}.${key}`, `${key} stands in variance: {dateFrom, dateTo, cadence}.`)
      const { said, suggestion } = misnamed(quoted(key), key, keys)
      return finding(`${path}.${key.slice(0, 80)}`, `${said} Allowed: ${keys.join(', ')}.`, { suggestion })
    })
  const { parameters, findings: wrongParameters } = readParameters(body['parameters'], `${path}.parameters`)
  const { parameters: _parameters, computed: said, ...parts } = body
  const roots = shapesOf(parameters)
  const places = new Set(tokenPlaces(parts, path))
  const { report, findings } = readStoredReport(catalog, parts, path, (place) => places.has(place))
  const { computed, findings: wrongComputed } = readComputed(said, { outputs: report?.outputs ?? [], roots, path: `${path}.computed` })
  const page = readCount(body['page'], 1_000_000, `${path}.page`)
  const pageSize = readCount(body['pageSize'], pageSizeMax, `${path}.pageSize`)
  return {
    parameters,
    computed,
    page: page.count,
    pageSize: pageSize.count,
    report,
    findings: [
      ...unknown,
      ...findings,
      ...checkTokens(parts, roots, path),
      ...wrongParameters,
      // What it reads is not known where the rest is wrong.
      ...(findings.length === 0 ? wrongComputed : []),
      ...page.findings,
      ...pageSize.findings,
      ...(report && findings.length === 0 ? findWarnings(report, path) : []),
    ],
  }
}

/** What is wrong with a stored report today: what it names and is gone, and what the catalog no longer allows. */
export function findReportProblems(catalog: Catalog, { body, gone }: Pick<Definition, 'body' | 'gone'>): ReadDefinition {
  const read = readDefinition(catalog, body)
  const lost = gone.map((one) => ({ ...one, path: `$.definitionJson${one.path.slice(1)}` }))
  const told = new Set(lost.map((one) => one.path))
  return { ...read, findings: [...lost, ...read.findings.filter((one) => !told.has(one.path))] }
}
