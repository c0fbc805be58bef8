/** What a chunk of an import is made of, whether it is saved or only tried. */
import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { type Finding, finding, toIssue } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import type { SystemWork } from '#platform/system.ts'
import { issue } from '#platform/validation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { NewLogLine, RunningJob } from '#tools/jobs/service.ts'

import type { SaveOutcome } from '../save/match-records.ts'
import { type SaveWish, toWish } from '../save/understand-row.rules.ts'
import type { RowMeans } from '../save/understand-rows.ts'
import { type WriteFrame, writeFrame } from '../save/write-frame.ts'
import type { PlanEntity } from './mapping.rules.ts'
import type { PlannedChunk, PlannedRow } from './planning.ts'

const keptErrors = 100
const keptColumns = 100
const keptCharacters = 500

export const importInput = z.object({
  entityId: z.int(),
  assetKey: z.string(),
  format: z.enum(['csv', 'json', 'xlsx']),
  delimiter: z.string().nullable(),
  encoding: z.string().nullable().optional(),
  sheet: z.string().nullable().optional(),
  mapping: z.record(z.string(), z.string()),
  importMode: z.enum(['upsert', 'overwrite', 'insertOnly']),
  moveParent: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  fireTriggers: z.boolean().optional(),
  // Of the call that began it; one that an earlier release began has those of its user.
  roleFlag: z.int().default(~0),
})

export const position = z.object({
  rows: z.int(),
  inserted: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  moved: z.int().optional(),
  ignoredColumns: z.array(z.string()),
  /** Columns and errors that are counted alone. */
  ignoredColumnsLeftOut: z.int().optional(),
  errors: z.array(
    issue.extend({
      row: z.int(),
      line: z.int().optional(),
      // Of an import that began before it was told.
      severity: issue.shape.severity.default('error'),
    }),
  ),
  errorsLeftOut: z.int().optional(),
  /** What was found out of the file: its encoding. */
  notes: z.array(z.string()).optional(),
})
export type Position = z.infer<typeof position>
export type ImportInput = z.infer<typeof importInput>

export const beginning: Position = { rows: 0, inserted: 0, updated: 0, skipped: 0, failed: 0, ignoredColumns: [], errors: [] }

/** Whose an import's transactions are: history names who started it, and rules ask for the roles of that call. */
export function importWork(job: RunningJob, { roleFlag, fireTriggers }: ImportInput): SystemWork {
  const quiet = fireTriggers === false ? { startsNothing: true as const } : {}
  return { tenantUserId: job.startedBy ?? 0, roleFlag, origin: { kind: 'import', id: job.jobId, depth: job.depth, ...quiet } }
}

/** As much of the entity as its columns are matched with. */
export function planOf({ internalName, properties }: CatalogEntity): PlanEntity {
  return {
    internalName,
    properties: properties.map(({ propertyId, entityPropertyId, internalName: name, dataType, isList }) => ({
      propertyId,
      entityPropertyId,
      internalName: name,
      dataType,
      isList,
    })),
  }
}

/** Thrown where the entity is no longer what the rows were planned for. */
export class PlanOutdated extends Error {
  override readonly name = 'PlanOutdated'
}

export const gone = () => new AppError('conflict', 'The entity was deleted while the import ran.')

/** Prepares the write of a chunk that was planned for `plan`. */
export async function importFrame(context: TxContext, input: ImportInput, plan: PlanEntity): Promise<WriteFrame> {
  const frame = await writeFrame(context, (catalog) => {
    const entity = catalog.entities.find((known) => known.entityId === input.entityId)
    if (!entity) throw gone()
    return entity
  })
  if (JSON.stringify(planOf(frame.entity)) !== JSON.stringify(plan)) throw new PlanOutdated('A property changed while the import ran')
  return frame
}

/** Where an import is once the first rows of the chunk had these outcomes. */
export function reachedBy(before: Position, chunk: PlannedChunk, outcomes: readonly SaveOutcome[]): Position {
  const counts = { inserted: before.inserted, updated: before.updated, skipped: before.skipped, failed: before.failed }
  const errors = [...before.errors]
  for (const outcome of outcomes) {
    counts[outcome.outcome]++
    const row = chunk.rows[outcome.index]
    const told = outcome.outcome === 'failed' ? outcome.errors : (outcome.notes ?? [])
    if (row) errors.push(...told.map((issue) => errorOf(row, issue)))
  }
  const ignoredColumns = [...new Set([...before.ignoredColumns, ...chunk.ignored])].slice(0, keptColumns)
  const columnsLeftOut = Math.max(before.ignoredColumnsLeftOut ?? 0, chunk.ignoredCount - keptColumns)
  const errorsLeftOut = (before.errorsLeftOut ?? 0) + Math.max(0, errors.length - keptErrors)
  const notes = [...new Set([...(before.notes ?? []), ...(chunk.notes ?? [])])]
  const moved = (before.moved ?? 0) + outcomes.filter((one) => one.outcome === 'updated' && one.moved).length
  return {
    ...counts,
    ...(moved > 0 ? { moved } : {}),
    rows: before.rows + outcomes.length,
    ignoredColumns,
    ...(columnsLeftOut > 0 ? { ignoredColumnsLeftOut: columnsLeftOut } : {}),
    errors: errors.slice(0, keptErrors),
    ...(errorsLeftOut > 0 ? { errorsLeftOut } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

export function wishOf(entity: CatalogEntity, input: ImportInput, row: PlannedRow, index: number, means: RowMeans): SaveWish {
  const wish = toWish(entity, row.save, { index, path: '$', modeOfCall: input.importMode, ...means })
  return row.problem === undefined ? wish : { ...wish, issues: [finding('$', row.problem)] }
}

// What is quoted of the file is cut anywhere, and the database takes no half of a surrogate pair.
const keepable = (text: string) => text.slice(0, keptCharacters).toWellFormed()

function errorOf({ row, line }: PlannedRow, found: Finding): Position['errors'][number] {
  const { message, suggestion, ...rest } = toIssue(found)
  return {
    row,
    ...(line === undefined ? {} : { line }),
    ...rest,
    message: keepable(message),
    ...(suggestion === undefined ? {} : { suggestion: keepable(suggestion) }),
  }
}

/** With the field that the message speaks of, which its path names. */
export function logLine({ row, line, path, message }: Position['errors'][number]): NewLogLine {
  const field = path.replace(/^\$(?:\.data)?\.?/, '')
  const said = field === '' ? message : `${field}: ${message}`
  return { level: 'warning', message: `Row ${row}${line === undefined ? '' : ` (line ${line})`}: ${said}` }
}
