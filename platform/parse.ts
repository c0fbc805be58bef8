/**
 * Large inputs held against their schema: first the bounds of every list in them, so that a list past its bound is not looked through, then part by part, in
 * turns with everybody else.
 */
import { z } from 'zod'

import type { Issue } from './errors.ts'
import { finding } from './findings.ts'
import { foundIssues, maxIssues, type Parsed, parseInput, pathText } from './issues.ts'
import { inTurns } from './turns.ts'

/** Fewer parts than this are parsed at once. */
const usualParts = 500

/** Parses an input of any size, as `parseInput` does. `partsAtOnce` is for tests. */
export async function parseInTurns(
  schema: z.ZodObject,
  input: unknown,
  partsAtOnce = usualParts,
): Promise<Parsed<Record<string, unknown>>> {
  return holdsMore(input, partsAtOnce) ? inTurns(parseLarge(schema, input, partsAtOnce)) : parseInput(schema, input)
}

/** Whether a value has more parts than `limit`, all depths counted together. */
export function holdsMore(value: unknown, limit: number): boolean {
  let left = limit
  const waiting: object[] = typeof value === 'object' && value !== null ? [value] : []
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    // Not by their names: those of a long list would be made first, all of them.
    const inner: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
    left -= inner.length
    if (left < 0) return true
    for (const one of inner) if (typeof one === 'object' && one !== null) waiting.push(one)
  }
  return false
}

function* parseLarge(schema: z.ZodObject, input: unknown, partsAtOnce: number): Generator<void, Parsed<Record<string, unknown>>> {
  const tooLong: Issue[] = []
  yield* findTooLong(schema, input, [], tooLong)
  if (tooLong.length > 0) return { isOk: false, issues: tooLong }
  const found: z.core.$ZodIssue[] = []
  const parsed = yield* parsePart(schema, input, [], found, partsAtOnce)
  const issues = foundIssues(schema, input, found)
  if (issues.length > 0) return { isOk: false, issues }
  // Without a finding the object was parsed whole.
  return { isOk: true, value: parsed.value as Record<string, unknown> }
}

type Path = readonly PropertyKey[]

/** The schema inside of what may be absent, null or a default. */
function bare(schema: z.ZodType): z.ZodType {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault || at instanceof z.ZodPrefault) {
    // Schemas are of the classic kind, as everything that is defined here.
    at = at.unwrap() as z.ZodType
  }
  return at
}

/** The forms that a value may have. */
function formsOf(schema: z.ZodType): readonly z.ZodType[] {
  const at = bare(schema)
  return at instanceof z.ZodUnion ? at.options.flatMap((form) => formsOf(form as z.ZodType)) : [at]
}

/** Lists with more elements than they may have. What stands in one is not looked at. */
function* findTooLong(schema: z.ZodType, input: unknown, path: Path, issues: Issue[]): Generator<void> {
  if (typeof input !== 'object' || input === null || issues.length >= maxIssues || !holdsLists(schema)) return
  yield
  for (const form of formsOf(schema)) {
    if (Array.isArray(input)) {
      if (form instanceof z.ZodArray) yield* findTooLongIn(form, input, path, issues)
    } else if (form instanceof z.ZodObject) {
      for (const [name, field] of fieldsOf(form))
        if (Object.hasOwn(input, name)) yield* findTooLong(field, valueOf(input, name), [...path, name], issues)
    } else if (form instanceof z.ZodRecord) {
      for (const [name, value] of Object.entries(input)) yield* findTooLong(form.valueType as z.ZodType, value, [...path, name], issues)
    }
  }
}

function* findTooLongIn(list: z.ZodArray, input: readonly unknown[], path: Path, issues: Issue[]): Generator<void> {
  const { most } = lengthsOf(list)
  if (input.length > most) issues.push(finding(pathText(path), `At most ${most} element${most === 1 ? '' : 's'}, got ${input.length}.`))
  else if (holdsLists(elementOf(list)))
    for (const [index, element] of input.entries()) yield* findTooLong(elementOf(list), element, [...path, index], issues)
}

const listHolders = new WeakMap<z.ZodType, boolean>()

/** Whether a list can stand in what the schema describes. */
function holdsLists(schema: z.ZodType): boolean {
  const known = listHolders.get(schema)
  if (known !== undefined) return known
  // A schema that holds itself is asked again on the way.
  listHolders.set(schema, false)
  const holds = formsOf(schema).some(
    (form) =>
      form instanceof z.ZodArray ||
      (form instanceof z.ZodObject && fieldsOf(form).some(([, field]) => holdsLists(field))) ||
      (form instanceof z.ZodRecord && holdsLists(form.valueType as z.ZodType)),
  )
  listHolders.set(schema, holds)
  return holds
}

function elementOf(list: z.ZodArray): z.ZodType {
  // Elements are schemas of the classic kind, as everything that is defined here.
  return list.element as z.ZodType
}

function fieldsOf(schema: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(schema.shape)
}

function valueOf(input: object, name: string): unknown {
  return Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined
}

/** Where there are findings, `value` is incomplete. */
interface Part {
  readonly value: unknown
}

/** Parses what has many parts by its parts, as far as the schema is a list or an object without rules of its own, and the rest at once. */
function* parsePart(schema: z.ZodType, input: unknown, path: Path, found: z.core.$ZodIssue[], partsAtOnce: number): Generator<void, Part> {
  yield
  if (found.length >= maxIssues) return { value: undefined }
  const inner = bare(schema)
  if (typeof input === 'object' && input !== null && holdsMore(input, partsAtOnce)) {
    if (inner instanceof z.ZodArray && Array.isArray(input) && hasLengthsAlone(inner))
      return yield* parseList(inner, input, path, found, partsAtOnce)
    if (inner instanceof z.ZodObject && !Array.isArray(input) && hasFieldsAlone(inner))
      return yield* parseObject(inner, input, path, found, partsAtOnce)
    if (inner instanceof z.ZodRecord && !Array.isArray(input) && inner.keyType instanceof z.ZodString)
      return yield* parseRecord(inner, input, path, found, partsAtOnce)
  }
  const result = schema.safeParse(input)
  if (result.success) return { value: result.data }
  for (const issue of result.error.issues.slice(0, maxIssues)) found.push({ ...issue, path: [...path, ...issue.path] })
  return { value: undefined }
}

function* parseList(
  list: z.ZodArray,
  input: readonly unknown[],
  path: Path,
  found: z.core.$ZodIssue[],
  partsAtOnce: number,
): Generator<void, Part> {
  // What is taken as it comes is read elsewhere, part by part.
  if (list.element instanceof z.ZodUnknown) return { value: input }
  const value: unknown[] = []
  for (const [index, element] of input.entries()) {
    const part = yield* parsePart(elementOf(list), element, [...path, index], found, partsAtOnce)
    if (found.length >= maxIssues) break
    value.push(part.value)
  }
  return { value }
}

function* parseObject(
  schema: z.ZodObject,
  input: object,
  path: Path,
  found: z.core.$ZodIssue[],
  partsAtOnce: number,
): Generator<void, Part> {
  const value: Record<string, unknown> = {}
  const fields = fieldsOf(schema)
  for (const [name, field] of fields) {
    const part = yield* parsePart(field, valueOf(input, name), [...path, name], found, partsAtOnce)
    if (part.value !== undefined || Object.hasOwn(input, name)) value[name] = part.value
  }
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(schema.shape, name))
  if (unknown.length > 0 && schema._zod.def.catchall)
    found.push({ code: 'unrecognized_keys', keys: unknown, path: [...path], message: '', input: value })
  return { value }
}

/** The names of a record first, then its values part by part, then its own rules. A value whose name is wrong is not looked at. */
function* parseRecord(
  record: z.ZodRecord,
  input: object,
  path: Path,
  found: z.core.$ZodIssue[],
  partsAtOnce: number,
): Generator<void, Part> {
  // As zod has it, one name of a prototype is none.
  const names = Object.keys(input).filter((name) => name !== '__proto__')
  const wrong = yield* findWrongNames(record, names)
  const before = found.length
  const value: [string, unknown][] = []
  for (const name of names) {
    const issue = wrong.get(name)
    if (issue) found.push({ ...issue, path: [...path, ...issue.path] })
    else
      value.push([name, (yield* parsePart(record.valueType as z.ZodType, valueOf(input, name), [...path, name], found, partsAtOnce)).value])
    if (found.length >= maxIssues) break
  }
  const parsed = Object.fromEntries(value)
  const rules = record._zod.def.checks ?? []
  if (rules.length === 0 || found.length > before) return { value: parsed }
  // What the rules are told is a record.
  const result = z
    .unknown()
    .check(...(rules as z.core.$ZodCheck<unknown>[]))
    .safeParse(parsed)
  if (result.success) return { value: result.data }
  found.push(...result.error.issues.slice(0, maxIssues).map((issue) => ({ ...issue, path: [...path, ...issue.path] })))
  return { value: undefined }
}

/** By name. A million names take seconds: some at a time. */
function* findWrongNames({ keyType }: z.ZodRecord, names: readonly string[]): Generator<void, ReadonlyMap<unknown, z.core.$ZodIssue>> {
  const wrong = new Map<unknown, z.core.$ZodIssue>()
  const named = z.record(keyType, z.unknown())
  for (let from = 0; from < names.length && wrong.size < maxIssues; from += usualParts) {
    const some = names.slice(from, from + usualParts)
    const result = named.safeParse(Object.fromEntries(some.map((name) => [name, null])))
    for (const issue of result.error?.issues ?? []) wrong.set(issue.path[0], issue)
    yield
  }
  return wrong
}

interface Lengths {
  readonly least: number
  readonly most: number
  /** Whether the list has other rules beside these. */
  readonly hasOthers: boolean
}

function lengthsOf(list: z.ZodArray): Lengths {
  let [least, most, hasOthers] = [0, Infinity, false]
  for (const check of list._zod.def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckMaxLength) most = Math.min(most, check._zod.def.maximum)
    else if (check instanceof z.core.$ZodCheckMinLength) least = Math.max(least, check._zod.def.minimum)
    else hasOthers = true
  }
  return { least, most, hasOthers }
}

/** Whether a list has no rules but bounds of its length that it keeps: the upper one has been held against it, and it is not empty. */
function hasLengthsAlone(list: z.ZodArray): boolean {
  const { least, hasOthers } = lengthsOf(list)
  return least <= 1 && !hasOthers
}

/** Whether an object has no rules but those of its fields; others may be refused (a catch-all of never) or dropped, as zod does it. */
function hasFieldsAlone(schema: z.ZodObject): boolean {
  const { checks, catchall } = schema._zod.def
  return (checks ?? []).length === 0 && (catchall === undefined || catchall instanceof z.ZodNever)
}
