/** Drafts as their operations find, check, change and keep them. */
import { changeOtherDefinitions, takeCatalogIds } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { pathText } from '#platform/issues.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { inTurns } from '#platform/turns.ts'
import type { Finding } from '#platform/validation.ts'
import { maxBodyCharacters } from '#tools/definitions/definitions.schema.ts'
import {
  changeDefinition,
  createDefinition,
  type DefinitionRow,
  mustFindDefinition,
  type Place,
  readDefinitions,
  type Reference,
} from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { findVersion, findWorkflows, insertWorkflow, type WorkflowRow } from '../workflows.store.ts'
import { checkWorkflow } from './checking.rules.ts'
import type { WorkflowBody } from './definition.types.ts'
import type { NextId } from './editing.rules.ts'
import { findNamed, loadFacts } from './facts.ts'
import { maxSteps, maxStepsInAll } from './grammar.schema.ts'
import { referencesOfWorkflow } from './references.rules.ts'
import { listsOf, topOf } from './walking.rules.ts'

/** A workflow stands by itself: it outlives its entity, and says then what is gone. */
export const placeOfWorkflows = { kind: 'workflow', entityId: null, lister: 'list_workflows', field: 'workflow' } as const

export interface Draft {
  readonly catalog: Catalog
  readonly row: DefinitionRow
  readonly state: WorkflowRow
  /** With today's names. */
  readonly body: WorkflowBody
  /** What it names and is gone. */
  readonly gone: readonly Finding[]
}

/** The draft of a workflow that was found. */
export async function readDraftOf(context: TxContext, catalog: Catalog, row: DefinitionRow): Promise<Draft> {
  const [definition] = await readDefinitions(context, [row], catalog)
  const state = (await findWorkflows(context.tx, context.tenantId, [row.definitionId])).get(row.definitionId)
  if (!definition || !state) throw new Error('A workflow was not read')
  // Bodies are written by keepDraft alone.
  return { catalog, row, state, body: definition.body as unknown as WorkflowBody, gone: definition.gone }
}

/** The draft of the workflow that a path names. Throws 404. */
export async function openDraft(context: TxContext, slot: IdOrName): Promise<Draft> {
  const row = await mustFindDefinition(context, placeOfWorkflows, slot)
  return readDraftOf(context, await cachedCatalog(context), row)
}

/** Everything that is wrong with a draft today. */
export async function findDraftProblems(context: TxContext, { catalog, state, body, gone }: Draft): Promise<Finding[]> {
  const facts = await loadFacts(context, catalog, body, state)
  const findings = await inTurns(checkWorkflow(facts, body))
  // Where a name that is gone stands, that nothing has it is told once.
  const told = new Set(gone.map(({ path }) => path))
  return [...gone, ...findings.filter(({ path }) => !told.has(path))]
}

/** Before anything is done with it: ids are taken that nobody gives back, and all of it is looked through. */
export function refuseTooLarge(body: WorkflowBody): void {
  const { length } = JSON.stringify(body)
  if (length > maxBodyCharacters)
    throw new AppError('too_large', `A definition takes at most ${maxBodyCharacters} characters as JSON, and this one ${length}.`)
  let count = 0
  for (const { at, steps } of listsOf(topOf(body))) {
    if (steps.length > maxSteps)
      throw new AppError(
        'too_large',
        `${pathText(at)} holds at most ${maxSteps} steps, and here ${steps.length}. Put some into another workflow.`,
      )
    count += steps.length
    if (count > maxStepsInAll)
      throw new AppError(
        'too_large',
        `A workflow has at most ${maxStepsInAll} steps, those in lanes and loops among them. Put some into one that runWorkflow calls.`,
      )
  }
}

/** What the published version uses stays used, though the draft has left it. */
async function usesOfPublished({ tx, tenantId }: TxContext, { workflowId, version }: WorkflowRow): Promise<Reference[]> {
  const row = version === null ? undefined : await findVersion(tx, tenantId, workflowId, version)
  if (!row) return []
  // Written by publishing, from references of this kind.
  return (JSON.parse(row.refs) as Reference[]).map(({ at: _at, within: _within, isKey: _isKey, ...subject }) => subject)
}

const subjectKey = ({ entityId, propertyId, optionId, otherEntityId, definitionId }: Reference) =>
  [entityId, propertyId, optionId, otherEntityId, definitionId].join()

export async function referencesOf(context: TxContext, catalog: Catalog, body: WorkflowBody, state?: WorkflowRow): Promise<Reference[]> {
  const own = await inTurns(referencesOfWorkflow(catalog, await findNamed(context, body), body))
  const known = new Set(own.map(subjectKey))
  const others = state ? await usesOfPublished(context, state) : []
  return [...own, ...new Map(others.filter((one) => !known.has(subjectKey(one))).map((one) => [subjectKey(one), one])).values()]
}

export interface HeadChange {
  readonly internalName?: string | undefined
  readonly description?: string | undefined
}

/** Keeps a changed draft. Inside `changeOtherDefinitions`. Throws `already_exists`, `forbidden`, `too_large`. */
export async function keepDraft(context: TxContext, draft: Draft, body: WorkflowBody, change: HeadChange = {}): Promise<Draft> {
  refuseTooLarge(body)
  const references = await referencesOf(context, draft.catalog, body, draft.state)
  const row = await changeDefinition(context, draft.row, { ...change, body: { ...body }, references })
  return { ...draft, row, body, gone: [] }
}

/** Keeps a new workflow as a draft. Inside `changeOtherDefinitions`. */
export async function createDraft(
  context: TxContext,
  catalog: Catalog,
  { internalName, description = '' }: { readonly internalName: string; readonly description?: string | undefined },
  body: WorkflowBody,
  place: Place = placeOfWorkflows,
): Promise<Draft> {
  refuseTooLarge(body)
  const references = await referencesOf(context, catalog, body)
  const said = { internalName, description, isShared: true, isApiVisible: true }
  const row = await createDefinition(context, place, { ...said, body: { ...body }, references })
  await insertWorkflow(context.tx, context.tenantId, row.definitionId)
  return readDraftOf(context, catalog, row)
}

/** Changes the draft that a path names, by one of the pure changes, and keeps it. */
export async function editDraft<T>(
  context: TxContext,
  slot: IdOrName,
  edit: (body: WorkflowBody, next: NextId) => { readonly body: WorkflowBody; readonly result: T },
): Promise<{ readonly draft: Draft; readonly result: T }> {
  return changeOtherDefinitions(context, async () => {
    const draft = await openDraft(context, slot)
    const { body, result } = await withIds(context, (next) => edit(draft.body, next))
    return { draft: await keepDraft(context, draft, body), result }
  })
}

/** Runs a change that needs ids, of which nobody knows how many before: once to count them, once with as many. */
export async function withIds<T>({ tx }: TxContext, change: (next: NextId) => T): Promise<T> {
  let count = 0
  change(() => ++count)
  const ids = (await takeCatalogIds(tx, count)).values()
  return change(() => {
    const { value } = ids.next()
    if (value === undefined) throw new Error('Fewer ids were taken than are needed')
    return value
  })
}
