/** Drafts and what is found in them: the envelope that every validate operation answers, and the rows that have a result of their own. */
import { z } from 'zod'

import { component, documentAs } from './document-schema.ts'
import { AppError, type ErrorCode } from './errors.ts'
import { type Finding, finding, toIssue, verdictOf } from './findings.ts'
import { type Parsed, parseInput } from './issues.ts'
import { parseInTurns } from './parse.ts'
import { nearest, quoted } from './suggest.ts'

export { finding, type Finding } from './findings.ts'

/** A finding on the wire. */
export const issue = z.object({
  path: z.string().describe('JSON path into the body'),
  severity: z.enum(['error', 'warning']).describe('An error refuses the save, a warning does not'),
  message: z.string(),
  suggestion: z.string().optional().describe('The nearest right name'),
})

export const validation = z.object({ ok: z.boolean(), valid: z.boolean(), issues: z.array(issue) })

component('Issue', issue)
component('Validation', validation)

/** How many findings an envelope tells; whoever looks for them may end there. */
export const maxFindings = 1_000

/** The envelope: `ok` and `valid` hold when no finding is an error. */
export function envelope(findings: readonly Finding[]): z.output<typeof validation> {
  const isValid = findings.every((finding) => finding.severity !== 'error')
  return { ok: isValid, valid: isValid, issues: findings.slice(0, maxFindings).map(toIssue) }
}

/** A name that nothing has, with the nearest that something has. `noun` is singular: "property"; `lister` is the operation that shows them. */
export function unknownName(path: string, noun: string, name: unknown, known: Iterable<string>, lister: string, code?: ErrorCode): Finding {
  const suggestion = typeof name === 'string' ? nearest(name, known) : undefined
  return finding(path, `There is no ${noun} ${quoted(name)}. ${lister} shows them.`, {
    suggestion,
    ...(code === undefined ? {} : { code }),
  })
}

/**
 * Throws an AppError with all findings, coded by the first in precedence, when one of them is an error. `what` begins the sentence: "The property"; where
 * nothing was to be saved, `done` says what cannot be done.
 */
export function refuseErrors(findings: readonly Finding[], what: string, done = 'saved'): void {
  const { code, first } = verdictOf(findings)
  if (!first) return
  throw new AppError(code, `${what} cannot be ${done}. ${first.path}: ${first.message}`, {
    issues: findings.slice(0, 50),
  })
}

/** What a draft shows of a field: the schema itself, or where it nests only the kind of value. */
function outlineOf(shown: z.core.JSONSchema.JSONSchema, saver: string) {
  const description = `As in ${saver}`
  if (shown.type === 'object') return { type: shown.type, description }
  // Some hosts refuse a whole list of tools for one array that does not say what it holds.
  if (shown.type === 'array') return { type: shown.type, items: { type: 'object' as const }, description }
  return shown
}

/**
 * The input of a validate operation: the fields of what it validates, but taken as they come, so that a mistake in one is a finding of the envelope and
 * no refusal of the call; a field that does not exist is refused as everywhere. What nests is shown by `saver`, the operation that saves it.
 */
export function draftOf<S extends z.ZodRawShape>(schema: z.ZodObject<S>, saver: string) {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const { $schema: _dialect, ...shown } = z.toJSONSchema(field as z.ZodType, { io: 'input', reused: 'inline' })
    return [name, documentAs(z.unknown().optional().meta(outlineOf(shown, saver)), field as z.ZodType)] as const
  })
  // One for each field of the schema.
  return z.object(Object.fromEntries(fields) as { [name in keyof S]: z.ZodOptional<z.ZodUnknown> })
}

/**
 * A list whose elements are shown as `row` and taken as they come: where each has a result of its own, one that is not valid is a finding of its result
 * and no refusal of the call. The handler reads each with `readDraft`.
 */
export function draftRows(row: z.ZodObject) {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(row, { io: 'input', reused: 'inline' })
  return z.array(documentAs(z.unknown().meta(shown), row)).min(1)
}

export type Read<T> = { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly findings: readonly Finding[] }

/** Reads a draft by the schema of the save; its mistakes, at most so many, become findings, under the path where the draft stands. */
export function readDraft<S extends z.ZodObject>(schema: S, draft: unknown, path = '$', most?: number): Read<z.output<S>> {
  return readOf<S>(parseInput(schema, draft, most), path)
}

/** As `readDraft`, in turns with everybody else. */
async function readLargeDraft<S extends z.ZodObject>(schema: S, draft: unknown): Promise<Read<z.output<S>>> {
  return readOf<S>(await parseInTurns(schema, draft), '$')
}

function readOf<S extends z.ZodObject>(parsed: Parsed<Record<string, unknown>>, path: string): Read<z.output<S>> {
  // The draft has just been parsed with this schema.
  if (parsed.isOk) return { isOk: true, value: parsed.value as z.output<S> }
  return { isOk: false, findings: parsed.issues.map((one) => ({ ...one, path: `${path}${one.path.slice(1)}` })) }
}

const step = /\.([^.[\]]+)|\[(\d+)\]/g

/** A draft without the fields that findings are about. An element of a list stays: the places of those behind it would no longer be theirs. */
function withoutFields(draft: unknown, findings: readonly Finding[]): unknown {
  if (!isHolder(draft)) return draft
  const rest = copyOf(draft)
  // What is on the way to a field is copied, once, and the rest is shared: a draft may be as large as a body.
  const copies = new Set<unknown>([rest])
  for (const { path } of findings) {
    const steps = Array.from(path.matchAll(step), ([, name, index]) => name ?? Number(index))
    const last = steps.pop()
    let holder: Record<PropertyKey, unknown> | undefined = rest
    for (const name of steps) {
      // Own fields alone: a name comes from the caller.
      const inner: unknown = holder !== undefined && Object.hasOwn(holder, name) ? holder[name] : undefined
      if (!isHolder(inner) || holder === undefined) holder = undefined
      else if (copies.has(inner)) holder = inner
      else {
        const copy = copyOf(inner)
        copies.add(copy)
        holder[name] = copy
        holder = copy
      }
    }
    if (typeof last === 'string' && holder) delete holder[last]
  }
  return rest
}

function copyOf(value: Record<PropertyKey, unknown>): Record<PropertyKey, unknown> {
  // A list is a holder too, by its indexes.
  return Array.isArray(value) ? (Array.from<unknown>(value) as unknown as Record<PropertyKey, unknown>) : { ...value }
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

/**
 * What a validate operation answers: what is wrong with the shape of a draft, and what `findProblems` finds in all that is sound of it, so that a
 * mistake of the one kind does not hide those of the other.
 */
export async function validateDraft<S extends z.ZodObject>(
  schema: S,
  draft: unknown,
  findProblems: (value: z.output<S>) => Promise<readonly Finding[]>,
): Promise<z.output<typeof validation>> {
  const whole = await readLargeDraft(schema, draft)
  if (whole.isOk) return envelope(await findProblems(whole.value))
  const told = new Set(whole.findings.map((one) => one.path))
  const rest = await readLargeDraft(schema, withoutFields(draft, whole.findings))
  const problems = rest.isOk ? await findProblems(rest.value) : []
  return envelope([...whole.findings, ...problems.filter((one) => !told.has(one.path))])
}
