/** The settings of an install: held against what the manifest asks for. */
import { nearest, quoted } from '#platform/suggest.ts'
import { readTime } from '#platform/tokens/zoned.ts'
import { type Finding, finding } from '#platform/validation.ts'

import type { Setting } from './manifest.schema.ts'

export type Values = Readonly<Record<string, unknown>>

const maxTextLength = 16_000
/** Of all settings of an install as JSON. */
const maxBytes = 64 * 1024

const expected: Readonly<Partial<Record<Setting['dataType'], { readonly is: (value: unknown) => boolean; readonly words: string }>>> = {
  Number: { is: (value) => typeof value === 'number', words: 'a number' },
  Currency: { is: (value) => typeof value === 'number', words: 'a number' },
  Boolean: { is: (value) => typeof value === 'boolean', words: 'true or false' },
  DateTime: { is: (value) => readTime(value)?.kind === 'instant', words: 'a time such as 2026-03-01T08:30:00Z' },
  DateOnly: { is: (value) => readTime(value)?.kind === 'day', words: 'a date such as 2026-03-01' },
  TimeOnly: { is: (value) => readTime(value)?.kind === 'clock', words: 'a time of day such as 07:00' },
  Json: { is: (value) => typeof value === 'object', words: 'an object or a list' },
}
const asText = { is: (value: unknown) => typeof value === 'string' && value !== '', words: 'a text' }

/** What is wrong with one value. */
export function findValueProblems({ dataType, options }: Setting, value: unknown, path: string): Finding[] {
  const { is, words } = expected[dataType] ?? asText
  if (!is(value)) return [finding(path, `Expected ${words}, got ${quoted(value)}.`)]
  if (typeof value === 'string' && value.length > maxTextLength) return [finding(path, `At most ${maxTextLength} characters.`)]
  if (!options || options.includes(String(value))) return []
  const suggestion = nearest(String(value), options)
  return [finding(path, `One of ${options.slice(0, 20).join(', ')}, got ${quoted(value)}.`, { suggestion })]
}

export interface ReadSettings {
  /** Those that are not sensitive, with what the manifest gives unless told. */
  readonly values: Values
  /** Those of the sensitive ones that were sent. */
  readonly sensitive: ReadonlyMap<string, string>
  readonly findings: readonly Finding[]
}

/** `kept` are sensitive ones that an install has already. Null leaves one out. */
export function readSettings(declared: readonly Setting[], given: Values, kept: ReadonlySet<string> = new Set()): ReadSettings {
  const names = declared.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const findings = unknown.map((name) =>
    finding(`$.settings.${name}`, `The pack has no setting ${quoted(name)}. It has ${names.join(', ') || 'none'}.`, {
      suggestion: nearest(name, names),
    }),
  )
  const values: Record<string, unknown> = {}
  const sensitive = new Map<string, string>()
  for (const one of declared) {
    const { name, isRequired = false, isSensitive = false } = one
    const path = `$.settings.${name}`
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? one.value ?? undefined
    if (value === undefined) {
      if (isRequired && !kept.has(name)) findings.push(finding(path, 'Required.'))
      continue
    }
    const problems = findValueProblems(one, value, path)
    findings.push(...problems)
    if (problems.length > 0) continue
    if (isSensitive) sensitive.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    else values[name] = value
  }
  const bytes = Buffer.byteLength(JSON.stringify(values))
  if (bytes > maxBytes) findings.push(finding('$.settings', `At most ${maxBytes} bytes as JSON, got ${bytes}.`))
  return { values, sensitive, findings }
}

/** What is wrong with the settings that a manifest declares. */
export function findDeclaredProblems(declared: readonly Setting[]): Finding[] {
  const seen = new Set<string>()
  return declared.flatMap((one, index) => {
    const path = `$.settings[${index}]`
    const isTwice = seen.has(one.name.toLowerCase())
    seen.add(one.name.toLowerCase())
    return [
      ...(isTwice ? [finding(`${path}.name`, 'An earlier setting has this name.')] : []),
      ...(one.value === undefined || one.value === null ? [] : findValueProblems(one, one.value, `${path}.value`)),
      ...(one.isSensitive === true && one.value !== undefined
        ? [finding(`${path}.value`, 'A sensitive setting has no value of the pack: whoever installs it gives one.')]
        : []),
    ]
  })
}

const schemaTypes: Readonly<Partial<Record<Setting['dataType'], object>>> = {
  Number: { type: 'number' },
  Currency: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  DateOnly: { type: 'string', format: 'date' },
  Json: { type: ['object', 'array'], items: {} },
}

/** The settings as JSON Schema, for who fills them in. */
export function schemaOfSettings(declared: readonly Setting[]) {
  const properties = declared.map(({ name, dataType, description, options, value, isSensitive }) => [
    name,
    {
      ...(schemaTypes[dataType] ?? { type: 'string' }),
      ...(description === undefined ? {} : { description }),
      ...(options === undefined ? {} : { enum: options }),
      ...(value === undefined ? {} : { default: value }),
      ...(isSensitive === true ? { writeOnly: true } : {}),
    },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: declared.filter(({ isRequired, value }) => isRequired === true && value === undefined).map(({ name }) => name),
    additionalProperties: false,
  }
}
