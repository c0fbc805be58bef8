/** Shapes of what steps and triggers leave behind, in the words of the language of tokens. */
import type { Shape, Shapes } from '#platform/tokens/shape.ts'

export const anyValue: Shape = { kind: 'any' }
export const textValue: Shape = { kind: 'scalar', type: 'text' }
export const numberValue: Shape = { kind: 'scalar', type: 'number' }
export const timeValue: Shape = { kind: 'scalar', type: 'dateTime' }
export const object = (fields: Shapes): Shape => ({ kind: 'object', fields })
export const list = (of: Shape): Shape => ({ kind: 'list', of })

/** A row of a report: its values stand under `data`, by alias or as `Entity_Property`. */
export const reportRow = object({ combinedPivotJson: anyValue, data: anyValue })

/** Exactly one of the fields is said: what is said too much or is missing, for `check` of a type. */
export function oneOf(config: Readonly<Record<string, unknown>>, fields: readonly string[]): { field: string; message: string }[] {
  const said = fields.filter((field) => config[field] !== undefined)
  if (said.length === 1) return []
  return [{ field: said[1] ?? '', message: `Exactly one of ${fields.join(', ')}.` }]
}

/** At least one. */
export function someOf(config: Readonly<Record<string, unknown>>, fields: readonly string[]): { field: string; message: string }[] {
  return fields.some((field) => config[field] !== undefined) ? [] : [{ field: '', message: `One of ${fields.join(', ')} is needed.` }]
}
