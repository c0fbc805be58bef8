/** Turns zod's findings into ours: a JSON path, a sentence that says what is allowed, and the nearest right name. */
import { z } from 'zod'

import type { Issue } from './errors.ts'
import { misnamed } from './field-synonyms.ts'
import { finding } from './findings.ts'
import { nameOf, namePattern } from './names.ts'
import { nearest, quoted } from './suggest.ts'

/** How many mistakes one answer tells of: a body may be wrong in a hundred thousand places. */
export const maxIssues = 50

export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`), '$')
}

/** The schema that stands at a path, through optional, nullable, default and array wrappers. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at: z.ZodType | undefined = schema
  for (const part of path) {
    at = unwrap(at)
    if (at instanceof z.ZodObject) at = (at.shape as Record<string, z.ZodType>)[String(part)]
    else if (at instanceof z.ZodArray) at = at.element as z.ZodType
    else return undefined
  }
  return unwrap(at)
}

function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault || at instanceof z.ZodPrefault) {
    at = at.unwrap() as z.ZodType
  }
  // Of several forms the one with fields: nobody mistypes the fields of a text.
  return at instanceof z.ZodUnion ? (at.options.find((form) => form instanceof z.ZodObject) ?? at) : at
}

function keysOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

/** The field of an object beside it into which a field belongs that was sent one level too high. */
function ownerOf(schema: z.ZodType | undefined, key: string): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined
  return Object.keys(schema.shape).find((name) => keysOf(schemaAt(schema, [name])).includes(key))
}

function unknownField(path: readonly PropertyKey[], key: string, schema: z.ZodType | undefined): Issue {
  const allowed = keysOf(schema)
  const owner = ownerOf(schema, key)
  const { said, suggestion } =
    owner === undefined
      ? misnamed(quoted(key), key, allowed)
      : { said: `${quoted(key)} belongs into ${owner}.`, suggestion: `${owner}.${key}` }
  const list = allowed.length === 0 ? 'No fields are allowed here.' : `Allowed: ${allowed.slice(0, 40).join(', ')}.`
  return finding(pathText([...path, key]), `${said} ${list}`, { suggestion })
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined),
    input,
  )
}

/** JSON has no records and no whole numbers: zod's words for an object whose keys are free, and for a number without a fraction. */
function typeName(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return ''
  return issue.expected === 'record' ? 'object' : issue.expected === 'int' ? 'whole number' : issue.expected
}

/** Whoever sends a name where an object stands does not know what else belongs into it. */
function fieldsOf(issue: z.core.$ZodIssue, schema: z.ZodType, given: unknown): string {
  const isName = typeof given === 'string' || typeof given === 'number'
  const keys = isName && issue.code === 'invalid_type' && issue.expected === 'object' ? keysOf(schemaAt(schema, issue.path)) : []
  return keys.length === 0 ? '' : ` Its fields: ${keys.slice(0, 40).join(', ')}.`
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType, input: unknown): Issue[] {
  const path = pathText(issue.path)
  const given = valueAt(input, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, maxIssues).map((key) => unknownField(issue.path, key, schemaAt(schema, issue.path)))
    case 'invalid_type': {
      const expected = typeName(issue)
      if (given === undefined) return [finding(path, `Required, a value of type ${expected}.`)]
      return [finding(path, `Expected ${expected}, got ${quoted(given)}.${fieldsOf(issue, schema, given)}`)]
    }
    case 'invalid_value':
      return [notAmong(path, given, issue.values.map(String))]
    case 'invalid_union':
      return unionIssues(issue, schema, input, given)
    case 'too_small':
      return [finding(path, bound(issue, issue.minimum, issue.inclusive === false ? 'More than' : 'At least', given))]
    case 'too_big':
      return [finding(path, bound(issue, issue.maximum, issue.inclusive === false ? 'Less than' : 'At most', given))]
    case 'invalid_format':
      return [malformed(path, issue, given)]
    default:
      return [finding(path, sentence(issue.message))]
  }
}

function sentence(message: string): string {
  return `${message}.`.replace(/\.\.$/, '.')
}

function notAmong(path: string, given: unknown, allowed: readonly string[]): Issue {
  const message = `${given === undefined ? 'Required' : `${quoted(given)} is not allowed`}. Allowed: ${allowed.slice(0, 40).join(', ')}.`
  if (typeof given !== 'string') return finding(path, message)
  // A number or a boolean that came as text looks the same in a list.
  return allowed.includes(given)
    ? finding(path, `${message} Send it without quotes.`)
    : finding(path, message, { suggestion: nearest(given, allowed) })
}

/** Of a value that may have several forms. */
function unionIssues(issue: z.core.$ZodIssueInvalidUnion, schema: z.ZodType, input: unknown, given: unknown): Issue[] {
  const path = pathText(issue.path)
  const isOtherForm = (one: z.core.$ZodIssue) => one.path.length === 0 && (one.code === 'invalid_type' || one.code === 'invalid_value')
  // The form that the value was meant for is the one whose type it has; where it has none of them, the forms are what there is to tell.
  const meant = issue.errors.find((branch) => !branch.some(isOtherForm))
  if (meant) return meant.flatMap((one) => toIssues({ ...one, path: [...issue.path, ...one.path] }, schema, input))
  const forms = issue.errors.flat().filter(isOtherForm)
  const values = forms.flatMap((one) => (one.code === 'invalid_value' ? one.values.map(String) : []))
  if (values.length > 0) return [notAmong(path, given, values)]
  const expected = [...new Set(forms.map(typeName))].join(' or ')
  if (expected === '') return [finding(path, given === undefined ? 'Required.' : `${quoted(given)} is not allowed.`)]
  return [finding(path, given === undefined ? `Required, a value of type ${expected}.` : `Expected ${expected}, got ${quoted(given)}.`)]
}

function bound(issue: z.core.$ZodIssue & { readonly origin: string }, limit: number | bigint, words: string, given: unknown): string {
  if (typeof given === 'number') return `${words} ${limit}, got ${given}.`
  const noun = typeof given === 'string' ? 'character' : 'element'
  if (typeof given !== 'string' && !Array.isArray(given)) return sentence(issue.message)
  return `${words} ${limit} ${noun}${Number(limit) === 1 ? '' : 's'}, got ${given.length}.`
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'is no ISO 8601 time with its zone, such as 2026-11-21T10:00:00Z',
  date: 'is no date, such as 2026-11-21',
  uuid: 'is no UUID',
  guid: 'is no UUID',
  url: 'is no URL',
  email: 'is no e-mail address',
}

function malformed(path: string, issue: z.core.$ZodIssueInvalidStringFormat, given: unknown): Issue {
  const known = formats[issue.format]
  if (known !== undefined) return finding(path, `${quoted(given)} ${known}.`)
  const isName = issue.pattern === String(namePattern) && typeof given === 'string'
  return finding(path, `${quoted(given)} is not allowed. ${sentence(issue.message)}`, { suggestion: isName ? nameOf(given) : undefined })
}

export type Parsed<T> = { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly issues: readonly Issue[] }

function hasUnknown(input: object, shape: object): boolean {
  for (const key in input) if (!Object.hasOwn(shape, key)) return true
  return false
}

/** Parses an input by its schema; unknown fields at the root are findings too, whatever the schema says of them. */
export function parseInput(schema: z.ZodObject, input: unknown, most = maxIssues): Parsed<Record<string, unknown>> {
  const { shape } = schema
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const result = schema.safeParse(input)
  // Of a sound call nothing is made: a bulk reads ten thousand rows this way.
  if (result.success && !(isObject && hasUnknown(input, shape))) return { isOk: true, value: result.data }
  return { isOk: false, issues: foundIssues(schema, input, result.error?.issues ?? [], most) }
}

/** What is told of zod's findings, after the unknown fields at the root: by path, and no more than are shown, since each takes its time to describe. */
export function foundIssues(schema: z.ZodObject, input: unknown, found: readonly z.core.$ZodIssue[], most = maxIssues): Issue[] {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const known = Object.keys(schema.shape)
  const issues = new Map<string, Issue>()
  const isFull = () => issues.size >= most
  const absent = new Set<string>()
  const meant = new Set<string>()
  const add = (path: readonly PropertyKey[], issue: Issue) => {
    if (!issues.has(issue.path)) issues.set(issue.path, issue)
    if (issue.suggestion !== undefined) meant.add(pathText([...path, issue.suggestion]))
  }
  if (isObject) {
    for (const key of Object.keys(input)) {
      if (isFull()) break
      if (known.includes(key)) continue
      add([], unknownField([], key, schema))
    }
  }
  for (const issue of found) {
    if (isFull()) break
    if (valueAt(input, issue.path) === undefined) absent.add(pathText(issue.path))
    for (const one of toIssues(issue, schema, input)) add(issue.path, one)
  }
  // A field that was sent under another name is one mistake, not two.
  return [...issues.values()].filter(({ path }) => !(absent.has(path) && meant.has(path))).slice(0, most)
}
