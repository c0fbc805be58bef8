/** From the rows of a file to the rows of saves, in chunks that one transaction saves. */
import type { SaveRowInput } from '../save/understand-row.rules.ts'
import { maxRowCharacters, maxSavedCharacters } from './limits.ts'
import { type ColumnPlan, type FileFormat, type FileRow, planColumns, type PlanEntity, saveRowOf } from './mapping.rules.ts'

export interface PlanWish {
  readonly format: FileFormat
  readonly entity: PlanEntity
  readonly mapping: Readonly<Record<string, string>>
  /** Rows at the beginning that were saved already. */
  readonly skip: number
  /** What was found out of the file so far; taken along with the next chunk. */
  readonly notes?: readonly string[]
}

/** A row as it is to be saved. */
export interface PlannedRow {
  /** From 1, without the header. */
  readonly row: number
  readonly line?: number
  readonly save: SaveRowInput
  /** What is wrong with it as the file has it. */
  readonly problem?: string
}

export interface PlannedChunk {
  readonly rows: readonly PlannedRow[]
  /** Columns that stand for nothing, as far as they were not told with an earlier chunk. */
  readonly ignored: readonly string[]
  /** How many there are so far, told and untold. */
  readonly ignoredCount: number
  /** What was found out of the file. */
  readonly notes?: readonly string[]
}

/** Of one chunk. A chunk is parsed, checked and saved in one piece by the process that answers calls. */
const chunkLimits = { rows: 1_000, values: 12_000, characters: 512 * 1024 }
/** Rows of JSON name what they have, so that so many of them are looked at together for what a mapping names. */
const lookAheadRows = 2_000
const keptColumns = 100
const shownCharacters = 200

/** Chunks as lines of JSON, the rows of the file in their order. Throws AppError `invalid_input` where the columns do not fit. */
export async function* planChunks(rows: AsyncIterable<FileRow>, wish: PlanWish): AsyncGenerator<string> {
  const ignored = new Set<string>()
  let untold: string[] = []
  let plan: ColumnPlan | undefined
  let lines: string[] = []
  let [values, characters, seen] = [0, 0, 0]

  const chunk = () => {
    const notes = wish.notes && wish.notes.length > 0 ? `,"notes":${JSON.stringify(wish.notes)}` : ''
    const line = `{"rows":[${lines.join(',')}],"ignored":${JSON.stringify(untold)},"ignoredCount":${ignored.size}${notes}}`
    lines = []
    untold = []
    values = characters = 0
    return line
  }
  const noteIgnored = (names: readonly string[]) => {
    for (const name of names) {
      // What is shown of it is kept by a database that takes neither NUL nor half of a surrogate pair.
      const shown = name.slice(0, shownCharacters).replaceAll('\u0000', ' ').toWellFormed()
      if (ignored.has(shown)) continue
      if (ignored.size < keptColumns) untold.push(shown)
      ignored.add(shown)
    }
  }

  for await (const group of groupsOf(rows, wish.format === 'json' ? lookAheadRows : 1)) {
    // Rows of cells all have the columns of the first.
    if (wish.format === 'json' || plan === undefined) {
      const headers = [...new Set(group.flatMap(({ values: named }) => Object.keys(named)))]
      // A row with a problem may have any columns.
      const isWhole = wish.format !== 'json' || (seen === 0 && group.some(({ problem }) => problem === undefined))
      plan = planColumns(wish.entity, headers, wish.mapping, isWhole)
      noteIgnored(plan.ignored)
    }
    for (const row of group) {
      seen++
      if (seen <= wish.skip) continue
      const planned = plannedRow(plan, wish.format, row, seen)
      // A row that is large by itself does not make its neighbours wait.
      if (lines.length > 0 && characters + planned.length > chunkLimits.characters) yield chunk()
      lines.push(planned)
      characters += planned.length
      values += plan.columns.size
      if (lines.length >= chunkLimits.rows || values >= chunkLimits.values) yield chunk()
    }
  }
  if (lines.length > 0) yield chunk()
}

async function* groupsOf(rows: AsyncIterable<FileRow>, most: number): AsyncGenerator<FileRow[]> {
  let group: FileRow[] = []
  let characters = 0
  for await (const row of rows) {
    group.push(row)
    characters += row.characters ?? 0
    if (group.length < most && characters < maxRowCharacters) continue
    yield group
    group = []
    characters = 0
  }
  if (group.length > 0) yield group
}

/** As JSON. */
function plannedRow(plan: ColumnPlan, format: FileFormat, file: FileRow, row: number): string {
  const at = { row, ...(file.line === undefined ? {} : { line: file.line }) }
  const failing = (problem: string) => JSON.stringify({ ...at, save: { data: {} }, problem } satisfies PlannedRow)
  if (file.problem !== undefined) return failing(file.problem)
  const planned = JSON.stringify({ ...at, save: saveRowOf(plan, format, file) } satisfies PlannedRow)
  if (planned.length <= maxSavedCharacters) return planned
  return failing(`The row gives more than ${maxSavedCharacters / 1024 / 1024} million characters to its record.`)
}
