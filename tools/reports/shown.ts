/** Reports as their operations answer and find them. */
import type { z } from 'zod'

import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding, refuseErrors } from '#platform/validation.ts'
import {
  type Body,
  type DefinitionDraft,
  type DefinitionRow,
  findAnyDefinitions,
  mustFindDefinition,
  namesSeen,
  readBody,
  readDefinitions,
} from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { schedulesOf } from '#tools/schedules/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { findReportProblems, type ReadDefinition, readDefinition } from './definition.rules.ts'
import { referencesOfReport } from './references.rules.ts'
import type { report } from './reports.schema.ts'
import { reportDeliveryKind, shownSchedule } from './schedule.rules.ts'

type Shown = z.output<typeof report>

/** A report stands by itself: it outlives its entities, and says then what is gone. */
export const placeOfReports = { kind: 'report', entityId: null, lister: 'list_reports', field: 'report' } as const

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showReports(context: TxContext, catalog: Catalog, rows: readonly DefinitionRow[]): Promise<Shown[]> {
  const { tx, tenantId, actor } = context
  const own = { kind: reportDeliveryKind, part: String(actor.tenantUserId) }
  const schedules = await schedulesOf(
    context,
    own,
    rows.map((row) => row.definitionId),
  )
  const names = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.ownerId))])
  const definitions = await readDefinitions(context, rows, catalog)
  return mapInTurns(definitions, (definition) => {
    const { findings } = findReportProblems(catalog, definition)
    const { definitionId, ownerId, body, internalName, description, isShared, isSystem, isApiVisible, createdDate, modifiedDate } =
      definition
    const schedule = schedules.get(definitionId)
    return {
      reportDefinitionId: definitionId,
      internalName,
      description,
      isShared,
      isSystem,
      isApiVisible,
      definitionJson: JSON.stringify(body),
      createdDate,
      modifiedDate,
      ownerName: names.get(ownerId) ?? null,
      validation: findings.length === 0 ? null : envelope(findings),
      schedule: schedule === undefined ? null : shownSchedule(definitionId, schedule),
    }
  })
}

export async function showReport(context: TxContext, catalog: Catalog, row: DefinitionRow): Promise<Shown> {
  const [shown] = await showReports(context, catalog, [row])
  if (!shown) throw new Error('A report was not shown')
  return shown
}

/** What is wrong with the JSON of a report. */
export async function checkDraft(
  catalog: Catalog,
  said: unknown,
): Promise<{ readonly body: Body; readonly definition: ReadDefinition | undefined; readonly findings: readonly Finding[] }> {
  const read = await readBody(said, '$.definitionJson')
  if ('findings' in read) return { body: {}, definition: undefined, findings: read.findings }
  const definition = readDefinition(catalog, read.body)
  return { body: read.body, definition, findings: definition.findings }
}

/** The JSON of a report to keep, with what it names. Throws 400 with every finding. */
export async function readDraft(catalog: Catalog, said: unknown): Promise<Pick<DefinitionDraft, 'body' | 'references'>> {
  const { body, definition, findings } = await checkDraft(catalog, said)
  refuseErrors(findings, 'The report')
  return { body, references: definition?.report ? referencesOfReport(catalog, definition.report, body) : [] }
}

export interface SoundReport {
  readonly body: Body
  readonly definition: ReadDefinition
}

/** The JSON of a report to run. Throws 400 with every finding. */
export async function soundDraft(catalog: Catalog, said: unknown): Promise<SoundReport> {
  const { body, definition, findings } = await checkDraft(catalog, said)
  refuseErrors(findings, 'The report', 'run')
  if (!definition) throw new Error('A report without findings was not read')
  return { body, definition }
}

/** The report that a path names, ready to run. Throws 404, and 409 where what it names is gone. */
export async function soundReport(
  context: TxContext,
  catalog: Catalog,
  slot: IdOrName,
): Promise<SoundReport & { readonly row: DefinitionRow }> {
  const row = await mustFindDefinition(context, placeOfReports, slot)
  const [stored] = await readDefinitions(context, [row], catalog)
  if (!stored) throw new Error('A report was not read')
  const definition = findReportProblems(catalog, stored)
  refuseErrors(
    definition.findings.map((one) => ({ ...one, code: 'conflict' })),
    `The report ${row.internalName}`,
    'run',
  )
  return { body: stored.body, definition, row }
}

/** A stored report, for a definition that stands on it. */
export interface NamedReport extends SoundReport {
  readonly reportId: number
  readonly internalName: string
  /** Why it cannot be run today. */
  readonly problem: string | undefined
}

export interface NamedReports {
  /** By id, and by name in lower case. */
  readonly byIdOrName: ReadonlyMap<string, NamedReport>
  /** For suggestions, where one was not found. */
  readonly names: readonly string[]
}

/** The reports that a definition stands on, whoever owns them. */
export async function findReports(context: TxContext, catalog: Catalog, slots: readonly IdOrName[]): Promise<NamedReports> {
  const rows = await findAnyDefinitions(context, 'report', [...new Set(slots)])
  const stored = await readDefinitions(context, rows, catalog)
  const found = await mapInTurns(stored, (one): NamedReport => {
    const definition = findReportProblems(catalog, one)
    const problem = definition.findings.find(({ severity }) => severity === 'error')?.message
    return { reportId: one.definitionId, internalName: one.internalName, body: one.body, definition, problem }
  })
  const byIdOrName = new Map(
    found.flatMap((one) => [String(one.reportId), one.internalName.toLowerCase()].map((name) => [name, one] as const)),
  )
  const isMissing = slots.some((slot) => !byIdOrName.has(String(slot).toLowerCase()))
  return { byIdOrName, names: isMissing ? await namesSeen(context, placeOfReports) : [] }
}
