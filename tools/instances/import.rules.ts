/** From a file's cells to the values of a save. */
import { AppError, type Issue } from '#platform/errors.ts'
import { losesValue } from '#platform/json.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'

import type { SaveRowInput } from './save.rules.ts'
import { propertyIndex } from './values.rules.ts'

/** What a column of the file becomes. */
export type Target =
  | { readonly kind: 'property'; readonly property: CatalogProperty }
  | { readonly kind: 'field'; readonly field: KeyField }

const keyFields = ['key1', 'key2', 'key3', 'parentKey1', 'parentKey2', 'parentKey3', 'parentEntity'] as const
type KeyField = (typeof keyFields)[number]

/** Plain text of a header or a name, for matching: "Airport Name" and airport_name are AirportName. */
function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

export interface ColumnPlan {
  /** By header; a header that stands for nothing is left out. */
  readonly columns: ReadonlyMap<string, readonly Target[]>
  readonly ignored: readonly string[]
}

/**
 * What each header stands for: by `mapping` where it names the header, else by its own name. Throws 400 for a mapping that names what is not there;
 * headers that match nothing are ignored and reported.
 */
export function planColumns(entity: CatalogEntity, headers: readonly string[], mapping: Readonly<Record<string, string>>): ColumnPlan {
  const issues: Issue[] = []
  const index = propertyIndex(entity.properties)
  const byPlainName = new Map(entity.properties.map((property) => [plainName(property.internalName), property]))
  const columns = new Map<string, Target[]>()
  const add = (header: string, target: Target) => columns.set(header, [...(columns.get(header) ?? []), target])
  const fieldOf = (name: string) => keyFields.find((field) => field.toLowerCase() === name.toLowerCase())
  const mapped = new Set<string>()
  for (const [target, header] of Object.entries(mapping)) {
    if (!headers.includes(header)) {
      const suggestion = nearest(header, headers)
      issues.push({
        path: `$.mapping.${target}`,
        severity: 'error',
        message: `The file has no column ${quoted(header)}. Columns: ${headers.slice(0, 40).join(', ')}.`,
        ...(suggestion ? { suggestion } : {}),
      })
      continue
    }
    mapped.add(header)
    const property = index.get(target.toLowerCase())
    const field = fieldOf(target)
    if (property) add(header, { kind: 'property', property })
    else if (field) add(header, { kind: 'field', field })
    else {
      const known = [...entity.properties.map((one) => one.internalName), ...keyFields]
      const suggestion = nearest(target, known)
      issues.push({
        path: `$.mapping.${target}`,
        severity: 'error',
        message: `${entity.internalName} has no property ${quoted(target)}.`,
        ...(suggestion ? { suggestion } : {}),
      })
    }
  }
  if (issues.length > 0) throw new AppError('invalid_input', issues[0]?.message ?? 'The mapping is not valid.', { issues })
  for (const header of headers) {
    if (mapped.has(header)) continue
    const property = byPlainName.get(plainName(header))
    const field = fieldOf(header)
    if (property) add(header, { kind: 'property', property })
    else if (field) add(header, { kind: 'field', field })
  }
  return { columns, ignored: headers.filter((header) => !columns.has(header)) }
}

const yes = new Set(['true', 'yes', 'y', '1', 't'])
const no = new Set(['false', 'no', 'n', '0', 'f'])

/** A cell as the value that the validator expects. What cannot be read stays text, so that the validator says what is wrong with it. */
function cellValue(property: CatalogProperty, text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const one = (part: string): unknown => {
    switch (property.dataType) {
      case 'Number':
      case 'Currency':
        return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(part) && !losesValue(part) ? Number(part) : part
      case 'Boolean':
        return yes.has(part.toLowerCase()) ? true : no.has(part.toLowerCase()) ? false : part
      case 'Text':
        return property.isList ? part : text
      default:
        return part
    }
  }
  return property.isList ? trimmed.split(';').map((part) => one(part.trim())) : one(trimmed)
}

/** A row of a CSV file as a save row. */
export function rowOfCells(plan: ColumnPlan, cells: Readonly<Record<string, string>>): SaveRowInput {
  const row: Record<string, unknown> = {}
  const data: Record<string, unknown> = {}
  for (const [header, targets] of plan.columns) {
    const text = cells[header] ?? ''
    for (const target of targets) {
      if (target.kind === 'property') data[target.property.internalName] = cellValue(target.property, text)
      else row[target.field] = text.trim()
    }
  }
  // Only fields of a save row were set, all of them text.
  return { ...(row as SaveRowInput), data }
}

/** A row of a JSON file as a save row: values keep their types. */
export function rowOfObject(plan: ColumnPlan, values: Readonly<Record<string, unknown>>): SaveRowInput {
  const row: Record<string, unknown> = {}
  const data: Record<string, unknown> = {}
  for (const [header, targets] of plan.columns) {
    const value = values[header]
    if (value === undefined) continue
    for (const target of targets) {
      if (target.kind === 'property') data[target.property.internalName] = value
      else row[target.field] = typeof value === 'string' ? value : JSON.stringify(value ?? '')
    }
  }
  // As above.
  return { ...(row as SaveRowInput), data }
}
