/** Parameters of reports: what a definition takes, what a call gives, and what stands in the places of their tokens. */
import { namePattern } from '#platform/names.ts'
import { noPatterns } from '#platform/patterns.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Resolving, resolveValue } from '#platform/tokens/resolve.ts'
import type { ScalarType, Shape, Shapes } from '#platform/tokens/shape.ts'
import { mayHoldTokens, parseTemplate } from '#platform/tokens/template.ts'
import { type Finding, finding } from '#platform/validation.ts'
import { type DataType, dataTypes } from '#tools/properties/properties.schema.ts'
import { checkValue } from '#tools/properties/service.ts'

const maxParameters = 50
// Deeper than any filter may nest.
const maxDepth = 24

export interface Parameter {
  readonly name: string
  readonly dataType: DataType
  readonly isRequired: boolean
  readonly isList: boolean
  /** What it is where a call says nothing. */
  readonly value: unknown
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const given = (value: unknown) => value !== undefined && value !== null

/** The value in its canonical form, and what is wrong with it. Options of a choice go by their names, whichever property they are of. */
function checked({ dataType, isList }: Pick<Parameter, 'dataType' | 'isList'>, raw: unknown) {
  const limits = { minValueOrLength: null, maxValueOrLength: null, maxDecimalPlaces: null, regEx: null }
  const options = { options: [], optionFilter: null, isByInternalName: true }
  const type = dataType === 'Choice' || dataType === 'Hierarchy' ? 'Text' : dataType
  return checkValue({ ...limits, ...options, dataType: type, isList }, raw, noPatterns)
}

const maxWordCharacters = 64

/** A date may be said by a word too, as in any filter. */
const isWordOfTime = ({ dataType }: Pick<Parameter, 'dataType'>, raw: unknown) =>
  (dataType === 'DateTime' || dataType === 'DateOnly') && typeof raw === 'string' && raw.length <= maxWordCharacters

/** Reads `parameters` of a definition; findings stand at `path`. */
export function readParameters(
  said: unknown,
  path: string,
): { readonly parameters: readonly Parameter[]; readonly findings: readonly Finding[] } {
  if (!given(said)) return { parameters: [], findings: [] }
  if (!Array.isArray(said) || said.length > maxParameters)
    return {
      parameters: [],
      findings: [finding(path, `Expected an array of at most ${maxParameters} {name, dataType, isRequired, isList, value}.`)],
    }
  const findings: Finding[] = []
  const parameters = new Map<string, Parameter>()
  said.forEach((raw: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isObject(raw)) return void findings.push(finding(at, `Expected {name, dataType}, got ${quoted(raw)}.`))
    const allowed = ['name', 'dataType', 'isRequired', 'isList', 'value']
    for (const key of Object.keys(raw).slice(0, 20))
      if (!allowed.includes(key))
        findings.push(finding(`${at}.${key}`, `Unknown. Allowed: ${allowed.join(', ')}.`, { suggestion: nearest(key, allowed) }))
    const { name } = raw
    const dataType = dataTypes.find((one) => one === (raw['dataType'] === 'Date' ? 'DateTime' : raw['dataType']))
    if (typeof name !== 'string' || !namePattern.test(name))
      return void findings.push(finding(`${at}.name`, `Expected letters, digits and underscores, the first a letter, got ${quoted(name)}.`))
    if (parameters.has(name)) findings.push(finding(`${at}.name`, `${quoted(name)} is a parameter already.`))
    if (!dataType) {
      const suggestion = typeof raw['dataType'] === 'string' ? nearest(raw['dataType'], dataTypes) : undefined
      return void findings.push(
        finding(`${at}.dataType`, `Expected ${dataTypes.join(', ')}, got ${quoted(raw['dataType'])}.`, { suggestion }),
      )
    }
    const parameter = {
      name,
      dataType,
      isRequired: raw['isRequired'] === true,
      isList: raw['isList'] === true,
      value: raw['value'] ?? null,
    }
    const problem = given(raw['value']) && !isWordOfTime(parameter, raw['value']) ? checked(parameter, raw['value']) : undefined
    if (problem && 'problem' in problem) findings.push(finding(`${at}.value`, problem.problem))
    parameters.set(name, parameter)
  })
  return { parameters: [...parameters.values()], findings }
}

/** The values of a call, by name; one that is not given is null. */
export function readParams(
  parameters: readonly Parameter[],
  params: Readonly<Record<string, unknown>>,
): { readonly values: Readonly<Record<string, unknown>>; readonly findings: readonly Finding[] } {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(params)
    .filter((name) => !names.includes(name))
    .slice(0, 20)
    .map((name) => {
      const takes = names.length === 0 ? 'The report takes none.' : `The report takes ${names.join(', ')}.`
      return finding(`$.params.${name.slice(0, 80)}`, `There is no parameter ${quoted(name)}. ${takes}`, {
        suggestion: nearest(name, names),
      })
    })
  const findings: Finding[] = [...unknown]
  const values = parameters.map((parameter): [string, unknown] => {
    const { name, isRequired } = parameter
    // Own fields alone: names come from the caller.
    const said = Object.hasOwn(params, name) ? params[name] : undefined
    const raw = given(said) ? said : parameter.value
    if (!given(raw)) {
      if (isRequired) findings.push(finding(`$.params.${name}`, `Required, a ${parameter.dataType}${parameter.isList ? ' list' : ''}.`))
      return [name, null]
    }
    if (isWordOfTime(parameter, raw)) return [name, raw]
    const read = checked(parameter, raw)
    if ('value' in read) return [name, read.value]
    findings.push(finding(`$.params.${name}`, read.problem))
    return [name, null]
  })
  return { values: Object.fromEntries(values), findings }
}

const scalarOf: Readonly<Record<DataType, ScalarType>> = {
  Number: 'number',
  Currency: 'number',
  Boolean: 'boolean',
  DateTime: 'dateTime',
  DateOnly: 'date',
  TimeOnly: 'time',
  Text: 'text',
  Choice: 'choice',
  Hierarchy: 'choice',
  Attachment: 'file',
  Signature: 'file',
  Binary: 'file',
}

export function shapeOf({ dataType, isList }: Pick<Parameter, 'dataType' | 'isList'>): Shape {
  const one: Shape = { kind: 'scalar', type: scalarOf[dataType] }
  return isList ? { kind: 'list', of: one } : one
}

export const userFields = ['tenantUserId', 'userId', 'userName', 'displayName', 'email', 'phone', 'languageCode', 'timeZoneIana'] as const

/** What tokens of a definition may name. */
export function shapesOf(parameters: readonly Parameter[]): Shapes {
  return {
    $param: { kind: 'object', fields: Object.fromEntries(parameters.map((one) => [one.name, shapeOf(one)])) },
    $user: { kind: 'object', fields: Object.fromEntries(userFields.map((field): [string, Shape] => [field, { kind: 'scalar' }])) },
    $now: { kind: 'scalar', type: 'dateTime' },
    $today: { kind: 'scalar', type: 'date' },
  }
}

/** Where texts with tokens stand in a definition: what their values will be is not known before it runs. */
export function tokenPlaces(value: unknown, path: string, depth = 0): string[] {
  if (depth > maxDepth) return []
  if (typeof value === 'string') return mayHoldTokens(value) ? [path] : []
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => tokenPlaces(one, `${path}[${index}]`, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) => tokenPlaces(one, `${path}.${key}`, depth + 1))
}

/** What a rule comes to that asks for a parameter nobody gave: it is left out. */
const leftOut = Symbol('left out')

const several: Readonly<Record<string, string>> = { eq: 'in', ne: 'notIn' }

/** The value of a text; undefined where it asks for something that has none. */
function valueOf(text: string, at: Resolving): unknown {
  const tokens = parseTemplate(text).parts.filter((part) => typeof part !== 'string')
  const [param] = [at.roots['$param']]
  const isAbsent = tokens.some(({ path, filters }) => {
    const [root, name] = path
    return root.name === '$param' && name !== undefined && isObject(param) && !given(param[name.name]) && filters.length === 0
  })
  return isAbsent ? undefined : resolveValue(text, at)
}

function filledRule(rule: Record<string, unknown>, at: Resolving): unknown {
  const { op, value } = rule
  if (typeof value === 'string' && mayHoldTokens(value)) {
    const found = valueOf(value, at)
    if (!given(found)) return leftOut
    if (!Array.isArray(found)) return { ...rule, value: op === 'in' || op === 'notIn' ? [found] : found }
    return found.length === 0 ? leftOut : { ...rule, op: several[String(op)] ?? op, value: found as unknown[] }
  }
  if (!Array.isArray(value)) return rule
  const parts = value.map((one: unknown) => (typeof one === 'string' && mayHoldTokens(one) ? valueOf(one, at) : one))
  if (op === 'between' && parts.length === 2) {
    const [from, to] = parts
    if (given(from) && given(to)) return { ...rule, value: parts }
    if (!given(from) && !given(to)) return leftOut
    return given(from) ? { ...rule, op: 'gte', value: from } : { ...rule, op: 'lte', value: to }
  }
  const known = parts.filter(given).flat()
  return known.length === 0 && value.length > 0 ? leftOut : { ...rule, value: known }
}

/**
 * A definition with the values of its tokens in their places. A rule that asks for a parameter nobody gave is left out, as if it were not there; of a
 * range the end that is given stays.
 */
export function filled(value: unknown, at: Resolving, depth = 0): unknown {
  if (typeof value === 'string') return mayHoldTokens(value) ? valueOf(value, at) : value
  if (depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((one: unknown) => filled(one, at, depth + 1)).filter((one) => one !== leftOut)
  if (!isObject(value)) return value
  if ('property' in value && 'op' in value) return filledRule(value, at)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, at, depth + 1)]))
}
