/** Views as their operations answer and find them. */
import type { z } from 'zod'

import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding, refuseErrors } from '#platform/validation.ts'
import {
  type Body,
  type Definition,
  type DefinitionDraft,
  type DefinitionRow,
  findAnyDefinition,
  mustFindDefinition,
  type Place,
  readBody,
  readDefinitions,
} from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { schedulesOf } from '#tools/schedules/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { findSyncProblems, frequencyOf, viewSyncKind } from './sync.rules.ts'
import { findViewProblems, readView, referencesOfView, type ViewQuery } from './views.rules.ts'
import type { view } from './views.schema.ts'
import { listLastExports } from './views.store.ts'

type View = z.output<typeof view>

export function placeOfViews(entity: CatalogEntity): Place {
  return { kind: 'view', entityId: entity.entityId, lister: 'list_views', field: 'view' }
}

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showViews(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  rows: readonly DefinitionRow[],
): Promise<View[]> {
  const { tx, tenantId } = context
  const ids = rows.map((row) => row.definitionId)
  const names = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.ownerId))])
  const exports = new Map((await listLastExports(tx, tenantId, ids)).map((one) => [one.viewId, one.lastExportAt]))
  const schedules = await schedulesOf(context, { kind: viewSyncKind }, ids)
  const definitions = await readDefinitions(context, rows, catalog)
  return mapInTurns(definitions, (definition) => {
    const schedule = schedules.get(definition.definitionId)
    const findings = [...findViewProblems(catalog, entity, definition).findings, ...findSyncProblems(schedule)]
    return {
      entityInstanceViewId: definition.definitionId,
      entityId: entity.entityId,
      internalName: definition.internalName,
      description: definition.description,
      isShared: definition.isShared,
      isSystem: definition.isSystem,
      isApiVisible: definition.isApiVisible,
      viewJson: JSON.stringify(definition.body),
      syncEnabled: schedule?.isOn ?? false,
      syncFrequencyMinutes: frequencyOf(schedule),
      lastExportUtc: exports.get(definition.definitionId) ?? null,
      createdDate: definition.createdDate,
      modifiedDate: definition.modifiedDate,
      ownerName: names.get(definition.ownerId) ?? null,
      validation: findings.length === 0 ? null : envelope(findings),
    }
  })
}

export async function showView(context: TxContext, catalog: Catalog, entity: CatalogEntity, row: DefinitionRow): Promise<View> {
  const [shown] = await showViews(context, catalog, entity, [row])
  if (!shown) throw new Error('A view was not shown')
  return shown
}

/** The JSON of a view to keep, with what it names. Throws 400 with every finding. */
export async function readDraft(
  catalog: Catalog,
  entity: CatalogEntity,
  said: unknown,
): Promise<Pick<DefinitionDraft, 'body' | 'references'>> {
  const { body, findings } = await checkDraft(catalog, entity, said)
  refuseErrors(findings, 'The view')
  return { body, references: referencesOfView(catalog, entity, body) }
}

/** What is wrong with the JSON of a view. */
export async function checkDraft(
  catalog: Catalog,
  entity: CatalogEntity,
  said: unknown,
): Promise<{ body: Body; findings: readonly Finding[] }> {
  const read = await readBody(said, '$.viewJson')
  if ('findings' in read) return { body: {}, findings: read.findings }
  return { body: read.body, findings: readView(catalog, entity, read.body).findings }
}

/** The view that a path names, ready to run. Throws 404, and 409 where what it names is gone. */
export async function soundView(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  slot: IdOrName,
): Promise<{ readonly query: ViewQuery; readonly definition: Definition }> {
  const row = await mustFindDefinition(context, placeOfViews(entity), slot)
  const [definition] = await readDefinitions(context, [row], catalog)
  if (!definition) throw new Error('A view was not read')
  const { query, findings } = findViewProblems(catalog, entity, definition)
  refuseErrors(
    findings.map((one) => ({ ...one, code: 'conflict' })),
    `The view ${row.internalName}`,
    'run',
  )
  return { query, definition }
}

/** What a view asks for, for a definition that stands on it, whoever owns it; `problem` says why it cannot be run. */
export async function findViewQuery(context: TxContext, catalog: Catalog, slot: IdOrName) {
  const row = await findAnyDefinition(context, 'view', slot)
  const entity = row && catalog.byIdOrName.get(String(row.entityId))
  const [definition] = row ? await readDefinitions(context, [row], catalog) : []
  if (!definition || !entity) return undefined
  const { query, findings } = findViewProblems(catalog, entity, definition)
  const { filters, sort, pageSize } = query
  const { definitionId: viewId, internalName } = definition
  const problem = findings.find((one) => one.severity === 'error')?.message
  return { viewId, internalName, entityId: entity.entityId, filters, sort, pageSize, problem }
}
