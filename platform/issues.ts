/** Turns zod's findings into ours: a JSON path, a sentence that says what is allowed, and the nearest right name. */
import { z } from 'zod'

import type { Issue } from './errors.ts'
import { nearest, quoted } from './suggest.ts'

const maxIssues = 50

function pathText(path: readonly PropertyKey[]): string {
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
  return at
}

function keysOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function unknownField(path: readonly PropertyKey[], key: string, allowed: readonly string[]): Issue {
  const suggestion = nearest(key, allowed)
  const list = allowed.length === 0 ? 'No fields are allowed here.' : `Allowed: ${allowed.slice(0, 40).join(', ')}.`
  return {
    path: pathText([...path, key]),
    severity: 'error',
    message: `There is no field ${quoted(key)}. ${list}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined),
    input,
  )
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType, input: unknown): Issue[] {
  const path = pathText(issue.path)
  const given = valueAt(input, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(issue.path, key, keysOf(schemaAt(schema, issue.path))))
    case 'invalid_type':
      if (given === undefined) return [{ path, severity: 'error', message: `Required, a value of type ${issue.expected}.` }]
      return [{ path, severity: 'error', message: `Expected ${issue.expected}, got ${quoted(given)}.` }]
    case 'invalid_value': {
      const allowed = issue.values.map(String)
      const suggestion = typeof given === 'string' ? nearest(given, allowed) : undefined
      return [
        {
          path,
          severity: 'error',
          message: `${given === undefined ? 'Required' : `${quoted(given)} is not allowed`}. Allowed: ${allowed.slice(0, 40).join(', ')}.`,
          ...(suggestion === undefined ? {} : { suggestion }),
        },
      ]
    }
    default:
      return [{ path, severity: 'error', message: `${issue.message}.`.replace(/\.\.$/, '.') }]
  }
}

export type Parsed<T> = { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly issues: readonly Issue[] }

/** Parses an input by its schema; unknown fields at the root are findings too, whatever the schema says of them. */
export function parseInput(schema: z.ZodObject, input: unknown): Parsed<Record<string, unknown>> {
  const known = Object.keys(schema.shape)
  const issues: Issue[] = []
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    for (const key of Object.keys(input)) if (!known.includes(key)) issues.push(unknownField([], key, known))
  }
  const result = schema.safeParse(input)
  if (!result.success) {
    for (const issue of result.error.issues)
      for (const one of toIssues(issue, schema, input)) if (!issues.some((seen) => seen.path === one.path)) issues.push(one)
  }
  if (issues.length > 0 || !result.success) return { isOk: false, issues: issues.slice(0, maxIssues) }
  return { isOk: true, value: result.data }
}
