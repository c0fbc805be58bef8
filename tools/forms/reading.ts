/** Layouts as they are sent and as they are stored, read against the catalog of today. */
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import { inTurns } from '#platform/turns.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'
import { type Body, type Definition, readBody, type Reference } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { findViewQuery } from '#tools/views/service.ts'

import { readLayout, viewNamed } from './layout.rules.ts'
import type { BoundView, FormLayout } from './layout.types.ts'
import { slotText } from './locks.rules.ts'

/** What somebody wrote, as it would be kept. */
export interface FormDraft {
  /** Without what stands beside it: its version and its name. */
  readonly body: Body
  readonly references: readonly Reference[]
  readonly layout: FormLayout | undefined
  /** The name that the layout says. */
  readonly internalName: unknown
  readonly findings: readonly Finding[]
}

const nothing = { body: {}, references: [], layout: undefined, internalName: undefined }

/** A binding by its name alone, which a rename follows; one that is wrong stays as it is, to be told. */
function bound(binding: unknown, entity: CatalogEntity, view: BoundView | undefined): unknown {
  const { type = 'entity', name, id } = (binding ?? {}) as Record<string, unknown>
  if (view)
    return view.entityId === entity.entityId && (id ?? view.viewId) === view.viewId ? { type: 'view', name: view.internalName } : binding
  const slot = slotText(name ?? id ?? entity.entityId)
  const isOwn = [entity.internalName.toLowerCase(), String(entity.entityId)].includes(slot)
  return type === 'entity' && isOwn ? { type: 'entity', name: entity.internalName } : binding
}

/** What is wrong with a layout that somebody wrote for the entity, and what of it is kept. */
export async function checkDraft(context: TxContext, catalog: Catalog, entity: CatalogEntity, said: unknown): Promise<FormDraft> {
  const read = await readBody(said, '$.layoutJson')
  if ('findings' in read) return { ...nothing, findings: read.findings }
  const { entity: home = entity.internalName, binding, ...rest } = read.body
  const slot = viewNamed(read.body)
  const view = slot === undefined ? undefined : await findViewQuery(context, catalog, slot)
  const sent: Body = { entity: home, binding: bound(binding, entity, view), ...rest }
  const { layout, findings, references } = await inTurns(readLayout(catalog, entity, sent, view))
  const { layoutVersion: _version, internalName, ...body } = sent
  return { body, references, layout, internalName, findings }
}

/** A stored layout today: what it says, and what is wrong with it, where it names what is gone too. */
export async function readStored(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  { body, gone }: Pick<Definition, 'body' | 'gone'>,
): Promise<{ readonly layout: FormLayout; readonly findings: readonly Finding[] }> {
  const lost = gone.map((one) => ({ ...one, path: `$.layoutJson${one.path.slice(1)}` }))
  const told = new Set(lost.map((one) => one.path))
  // A view that was deleted is not another one that has its name since.
  const slot = told.has('$.layoutJson.binding.name') ? undefined : viewNamed(body)
  const view = slot === undefined ? undefined : await findViewQuery(context, catalog, slot)
  const { layout, findings } = await inTurns(readLayout(catalog, entity, body, view))
  return { layout, findings: [...lost, ...findings.filter((one) => !told.has(one.path))] }
}

/** The entity that a draft is for, where no path says it. */
export async function entityOfDraft(
  catalog: Catalog,
  said: unknown,
  slot: IdOrName | undefined,
): Promise<{ readonly entity: CatalogEntity } | { readonly problem: Finding }> {
  const read = await readBody(said, '$.layoutJson')
  const inLayout = 'body' in read ? read.body['entity'] : undefined
  const name = slot ?? inLayout
  const entity = name === undefined ? undefined : catalog.byIdOrName.get(slotText(name))
  if (entity) return { entity }
  const path = slot === undefined ? '$.layoutJson.entity' : '$.entity'
  if (name === undefined || name === null)
    return { problem: finding(path, 'Required, the entity of the form: here, or as entity beside the layout.') }
  const names = catalog.entities.map((one) => one.internalName)
  return { problem: unknownName(path, 'entity', name, names, 'list_entities', 'unknown_entity') }
}

/** The name that a form gets, from the body or the layout; two that differ are a finding. */
export function nameOfDraft(
  inBody: string | undefined,
  inLayout: unknown,
): { readonly name: string | undefined; readonly findings: Finding[] } {
  const name = inBody ?? (typeof inLayout === 'string' ? inLayout : undefined)
  if (inBody === undefined || typeof inLayout !== 'string' || inBody === inLayout) return { name, findings: [] }
  const message = `The layout calls the form ${quoted(inLayout)}, and the body ${quoted(inBody)}. Leave one of them out.`
  return { name, findings: [finding('$.layoutJson.internalName', message, { suggestion: inBody })] }
}
