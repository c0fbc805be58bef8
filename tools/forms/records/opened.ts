/** The form that a path names, ready to take records in and to show them. */
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { soundForm } from '../shown.ts'
import { onWire } from './held.rules.ts'
import { type Locked, readyForm, type ReadyForm, type ReadyList } from './ready.ts'

export interface OpenForm {
  readonly catalog: Catalog
  readonly formId: number
  readonly internalName: string
  readonly layoutVersion: number
  readonly ready: ReadyForm
}

/** Throws 404, and 409 where what the form names is gone. */
export async function openForm(context: TxContext, slot: IdOrName): Promise<OpenForm> {
  const catalog = await cachedCatalog(context)
  const { formId, internalName, layoutVersion, layout } = await soundForm(context, catalog, slot)
  context.audit({ form: internalName })
  return { catalog, formId, internalName, layoutVersion, ready: await readyForm(context, catalog, layout) }
}

/** What is fixed, by name. */
export function lockedOnWire(locked: Locked): Record<string, unknown> {
  return Object.fromEntries(Array.from(locked, ([property, value]) => [property.internalName, onWire(property, value)]))
}

/** What is shown of the record of a form, or of its rows: its fields, and what it fixes. */
export function shownProperties({
  entity,
  fieldOf,
  locked,
}: Pick<ReadyForm | ReadyList, 'entity' | 'fieldOf' | 'locked'>): readonly CatalogProperty[] {
  return entity.properties.filter((property) => fieldOf.has(property) || locked.has(property))
}
