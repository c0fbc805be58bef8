/** From a file's rows to the rows of a save. */
import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { losesValue } from '#platform/json.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'

import type { SaveRowInput } from '../save/understand-row.rules.ts'

export type FileFormat = 'csv' | 'json' | 'xlsx'

const formats: Readonly<Record<string, FileFormat>> = { csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', xlsx: 'xlsx', xlsm: 'xlsx' }

/** The format of a file by its extension, or what the caller says. Throws 415 for anything else. */
export function formatOf(extension: string, said: FileFormat | undefined): FileFormat {
  const format = said ?? formats[extension.toLowerCase()]
  if (format) return format
  const advice = ['xls', 'xlsb', 'ods', 'numbers'].includes(extension)
    ? 'Save it as .xlsx or CSV.'
    : 'Upload CSV, XLSX or JSON, or say format.'
  throw new AppError('unsupported_type', `Files of type ${extension || '(none)'} cannot be imported. ${advice}`)
}

export interface FileRow {
  /** By column. Of a CSV texts, of a workbook cells, of JSON whatever stands there. */
  readonly values: Readonly<Record<string, unknown>>
  /** Of the file, from 1, header included; of a workbook the row of the sheet. */
  readonly line?: number
  /** What is wrong with the row as the file has it; it then fails, whatever its values are. */
  readonly problem?: string
  /** Of a row of JSON, as the file has it. */
  readonly characters?: number
}

/** As much of an entity as the columns of a file are matched with. */
export type PlanProperty = Pick<CatalogProperty, 'propertyId' | 'entityPropertyId' | 'internalName' | 'dataType' | 'isList'>
export interface PlanEntity {
  readonly internalName: string
  readonly properties: readonly PlanProperty[]
}

/** A cell of a workbook; dates are texts. */
export type SheetCell = string | number | boolean | null

/** A row of cells under headers: missing ones are empty, surplus ones that hold something are a problem. */
export function rowOfList(headers: readonly string[], cells: readonly SheetCell[], problem?: string): FileRow {
  const values: Record<string, unknown> = Object.fromEntries(headers.map((header, index) => [header, cells[index] ?? '']))
  const surplus = cells.slice(headers.length).some((cell) => cell !== null && String(cell).trim() !== '')
  const found = problem ?? (surplus ? `The row has ${cells.length} cells, the header ${headers.length}.` : undefined)
  return found === undefined ? { values } : { values, problem: found }
}

/** What a column of the file becomes. */
export type Target = { readonly kind: 'property'; readonly property: PlanProperty } | { readonly kind: 'field'; readonly field: KeyField }

const keyFields = ['key1', 'key2', 'key3', 'parentKey1', 'parentKey2', 'parentKey3', 'parentEntity'] as const
type KeyField = (typeof keyFields)[number]

/** Plain text of a header or a name, for matching: "Airport Name" and airport_name are AirportName. */
function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** A field by its own name, else a property by internalName or id, else a field without regard to case. */
function targetOf(entity: PlanEntity, name: string): Target | undefined {
  const exact = keyFields.find((known) => known === name)
  const property = exact ? undefined : propertyIndex(entity.properties).get(name.toLowerCase())
  if (property) return { kind: 'property', property }
  const field = exact ?? keyFields.find((known) => known.toLowerCase() === name.toLowerCase())
  return field && { kind: 'field', field }
}

/** What is wrong with the names on the left of a mapping; what stands on the right only the file tells. */
export function findMappingIssues(entity: PlanEntity, mapping: Readonly<Record<string, string>>): Finding[] {
  const known = [...entity.properties.map((one) => one.internalName), ...keyFields]
  return Object.keys(mapping)
    .filter((target) => !targetOf(entity, target))
    .map((target) => {
      const suggestion = nearest(target, known)
      return finding(
        `$.mapping.${target}`,
        `${entity.internalName} has no property ${quoted(target)}. A mapping leads from a property, or from ${keyFields.join(', ')}, to a column of the file.`,
        { suggestion },
      )
    })
}

export interface ColumnPlan {
  /** By header; a header that stands for nothing is left out. */
  readonly columns: ReadonlyMap<string, readonly Target[]>
  readonly ignored: readonly string[]
}

/**
 * What each header stands for: what the mapping leads to it, and the property of its own name unless that one is mapped to another column. Throws
 * AppError `invalid_input` for a mapping that names what is not there and where no header stands for anything; headers that match nothing are ignored
 * and reported. Rows of JSON name what they have: with `isWhole` false a column that is missing here may stand elsewhere.
 */
export function planColumns(
  entity: PlanEntity,
  headers: readonly string[],
  mapping: Readonly<Record<string, string>>,
  isWhole = true,
): ColumnPlan {
  const issues = findMappingIssues(entity, mapping)
  const columns = new Map<string, Target[]>()
  const add = (header: string, target: Target) => columns.set(header, [...(columns.get(header) ?? []), target])
  const shown = headers.slice(0, 40).join(', ')
  const taken = new Set<string>()
  for (const [name, header] of Object.entries(mapping)) {
    const target = targetOf(entity, name)
    if (!target) continue
    taken.add(target.kind === 'property' ? target.property.internalName : target.field)
    if (headers.includes(header)) add(header, target)
    else if (isWhole) {
      const suggestion = nearest(header, headers)
      issues.push(finding(`$.mapping.${name}`, `The file has no column ${quoted(header)}. Columns: ${shown}.`, { suggestion }))
    }
  }
  if (issues.length > 0) throw new AppError('invalid_input', issues[0]?.message ?? 'The mapping is not valid.', { issues })
  const names = [...keyFields, ...entity.properties.map((property) => property.internalName)]
  const byPlainName = new Map(names.map((name) => [plainName(name), name]))
  const remapped = new Set(
    Object.entries(mapping).flatMap(([name, header]) => (targetOf(entity, name)?.kind === 'property' ? [header] : [])),
  )
  for (const header of headers) {
    const target = targetOf(entity, byPlainName.get(plainName(header)) ?? header.trim())
    if (!target || remapped.has(header) || taken.has(target.kind === 'property' ? target.property.internalName : target.field)) continue
    taken.add(target.kind === 'property' ? target.property.internalName : target.field)
    add(header, target)
  }
  if (isWhole && columns.size === 0) {
    const known = entity.properties.map((property) => property.internalName).slice(0, 40)
    throw new AppError(
      'invalid_input',
      `No column of the file stands for a property of ${entity.internalName}. Columns: ${shown}. Properties: ${known.join(', ')}. Say in mapping which is which.`,
    )
  }
  return { columns, ignored: headers.filter((header) => !columns.has(header)) }
}

const yes = new Set(['true', 'yes', 'y', '1', 't'])
const no = new Set(['false', 'no', 'n', '0', 'f'])

/** A cell as the value that the validator expects. What cannot be read stays as it is, so that the validator says what is wrong with it. */
function cellValue(property: PlanProperty, cell: SheetCell): unknown {
  if (typeof cell !== 'string') return cell === null ? null : property.isList ? [scalarOf(property, cell)] : scalarOf(property, cell)
  const trimmed = cell.trim()
  if (trimmed === '') return null
  if (property.isList) return trimmed.split(';').map((part) => scalarOf(property, part.trim()))
  return property.dataType === 'Text' ? cell : scalarOf(property, trimmed)
}

function scalarOf(property: PlanProperty, part: string | number | boolean): unknown {
  const text = String(part)
  switch (property.dataType) {
    case 'Number':
    case 'Currency':
      // A workbook keeps and shows fifteen digits; what stands beyond them comes of its own arithmetic.
      if (typeof part === 'number') return Number(part.toPrecision(15))
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) && !losesValue(text) ? Number(text) : part
    case 'Boolean':
      return yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : part
    case 'DateTime':
      // A day alone, as spreadsheets show times at midnight.
      return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : part
    case 'Text':
    case 'Choice':
    case 'Hierarchy':
      return text
    default:
      return typeof part === 'number' ? part : text
  }
}

/** A row of cells as a save row. */
function rowOfCells(plan: ColumnPlan, cells: Readonly<Record<string, unknown>>): SaveRowInput {
  const row: Record<string, unknown> = {}
  const data: Record<string, unknown> = {}
  for (const [header, targets] of plan.columns) {
    // Rows of cells hold nothing else.
    const cell = (cells[header] ?? '') as SheetCell
    for (const target of targets) {
      if (target.kind === 'property') data[target.property.internalName] = cellValue(target.property, cell)
      else row[target.field] = String(cell ?? '').trim()
    }
  }
  // Only fields of a save row were set, all of them text.
  return { ...(row as SaveRowInput), data }
}

/** A row of a JSON file as a save row: values keep their types, and what a row does not name is not named in the save either. */
function rowOfObject(plan: ColumnPlan, values: Readonly<Record<string, unknown>>): SaveRowInput {
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

/** A row of a file as a save row. A column for the parent's entity says nothing in the rows that name no parent. */
export function saveRowOf(plan: ColumnPlan, format: FileFormat, row: FileRow): SaveRowInput {
  const saved = format === 'json' ? rowOfObject(plan, row.values) : rowOfCells(plan, row.values)
  return saved.parentKey1 === undefined && saved.parentEntity !== undefined ? { ...saved, parentKey1: '' } : saved
}
