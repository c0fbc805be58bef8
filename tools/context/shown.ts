/** Contexts as their operations answer and find them. */
import type { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { toIssue } from '#platform/findings.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding, refuseErrors } from '#platform/validation.ts'
import {
  type Body,
  type Definition,
  type DefinitionDraft,
  type DefinitionRow,
  mustFindDefinition,
  readDefinitions,
} from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'
import { findReports, type NamedReports } from '#tools/reports/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import type { Plan } from './context.rules.ts'
import type { context as shownContext, contextDefinition } from './context.schema.ts'
import { readWhole, reportSlots } from './reports.rules.ts'

type Shown = z.output<typeof shownContext>
/** Older ones say nothing of reports. */
type StoredBody = Pick<Shown, 'displays' | 'entity' | 'includes' | 'user'> & Partial<Pick<Shown, 'reports'>>
type Given = Partial<Pick<z.output<typeof contextDefinition>, 'displays' | 'entity' | 'includes' | 'reports' | 'user'>>

/** A context stands by itself: it outlives its entity, and says then what is gone. */
export const placeOfContexts = { kind: 'context', entityId: null, lister: 'list_contexts', field: 'context' } as const

/** What is wrong with a stored context today: what it names and is gone, and what the catalog no longer allows. */
function problemsOf(
  catalog: Catalog,
  { body, gone }: Definition,
  reports: NamedReports,
): { plan: Plan | undefined; findings: readonly Finding[] } {
  const { plan, findings } = readWhole(catalog, body, reports)
  const told = new Set(gone.map((one) => one.path))
  return { plan, findings: [...gone, ...findings.filter((one) => !told.has(one.path))] }
}

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showContexts(context: TxContext, catalog: Catalog, rows: readonly DefinitionRow[]): Promise<Shown[]> {
  const { tx, tenantId } = context
  const names = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.ownerId))])
  const definitions = await readDefinitions(context, rows, catalog)
  const named = await findReports(
    context,
    catalog,
    definitions.flatMap(({ body }) => reportSlots(body)),
  )
  return mapInTurns(definitions, (definition) => {
    const { findings } = problemsOf(catalog, definition, named)
    // A stored body was read by the schema before it was kept.
    const { displays, entity, includes, reports = [], user } = definition.body as unknown as StoredBody
    const { definitionId, internalName, ownerId, createdDate, modifiedDate } = definition
    return {
      contextId: definitionId,
      internalName,
      displays,
      entity,
      includes,
      reports,
      user,
      createdDate,
      modifiedDate,
      ownerName: names.get(ownerId) ?? null,
      validation: findings.length === 0 ? null : envelope(findings),
    }
  })
}

export async function showContext(context: TxContext, catalog: Catalog, row: DefinitionRow): Promise<Shown> {
  const [shown] = await showContexts(context, catalog, [row])
  if (!shown) throw new Error('A context was not shown')
  return shown
}

/** What is wrong with a context that somebody wrote, and what of it is kept. */
export async function checkContext(
  context: TxContext,
  catalog: Catalog,
  given: Given,
): Promise<Pick<DefinitionDraft, 'body' | 'references'> & { readonly findings: readonly Finding[] }> {
  const { displays, findings: ofDisplays } = readDisplays(
    given.displays ?? [],
    await loadReferences(context.tx, context.tenantId),
    '$.displays',
  )
  const { entity, includes = [], reports = [], user = false } = given
  const body = { entity, includes, reports, user }
  const { findings, references } = readWhole(catalog, body, await findReports(context, catalog, reportSlots(body)))
  const kept = displays.map(({ languageRegionId, name, description }) => ({ languageRegionId, name, description }))
  return { body: { displays: kept, ...body }, references, findings: [...ofDisplays, ...findings] }
}

/** The same to keep. Throws 400 with every finding. */
export async function readDraftOf(
  context: TxContext,
  catalog: Catalog,
  given: Given,
): Promise<Pick<DefinitionDraft, 'body' | 'references'>> {
  const { findings, ...draft } = await checkContext(context, catalog, given)
  refuseErrors(findings, 'The context')
  return draft
}

/** What a stored context says, for a change of a part of it. */
export async function bodyOf(context: TxContext, catalog: Catalog, row: DefinitionRow): Promise<Body> {
  const [definition] = await readDefinitions(context, [row], catalog)
  return definition?.body ?? {}
}

/** The context that a path names, ready to be read. Throws 404, and 409 where what it names is gone. */
export async function soundContext(
  context: TxContext,
  catalog: Catalog,
  slot: IdOrName,
): Promise<{ readonly plan: Plan; readonly row: DefinitionRow }> {
  const row = await mustFindDefinition(context, placeOfContexts, slot)
  const [definition] = await readDefinitions(context, [row], catalog)
  if (!definition) throw new Error('A context was not read')
  const { plan, findings } = problemsOf(catalog, definition, await findReports(context, catalog, reportSlots(definition.body)))
  const first = findings.find((one) => one.severity === 'error')
  if (plan && !first) return { plan, row }
  const issues = findings.slice(0, 50).map(toIssue)
  const said = first === undefined ? '' : ` ${first.path}: ${first.message}`
  throw new AppError('conflict', `The context ${row.internalName} no longer fits.${said} update_context mends it.`, {
    issues: issues.slice(0, 50),
  })
}
