/** Forms as their operations answer, keep and find them. */
import type { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { type IdOrName, newName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { envelope, type Finding, finding, readDraft, refuseErrors } from '#platform/validation.ts'
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionRow,
  mustFindDefinition,
  readDefinitions,
} from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { mustBeEntity } from '#tools/entities/service.ts'
import { accessFloor } from '#tools/query/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { form as formRecord } from './forms.schema.ts'
import { findLayoutVersions, insertLayout } from './forms.store.ts'
import type { FormLayout } from './layout.types.ts'
import { checkDraft, nameOfDraft, readStored } from './reading.ts'

type Form = z.output<typeof formRecord>

/** Forms are found by themselves; a new one stands under its entity, and goes with it. */
export const placeOfForms = { kind: 'form', entityId: null, lister: 'list_forms', field: 'form' } as const

/** Whether the caller makes records of an entity, asked once for each. */
function creating(context: TxContext, catalog: Catalog): (entity: CatalogEntity) => Promise<boolean> {
  const known = new Map<number, Promise<boolean>>()
  const ask = async (entity: CatalogEntity) =>
    (context.actor.roleFlag & roleBits.DataEdit) !== 0 && (await accessFloor.ownAccessOf(context, catalog, entity)).create
  return (entity) => {
    const asked = known.get(entity.entityId) ?? ask(entity)
    known.set(entity.entityId, asked)
    return asked
  }
}

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showForms(context: TxContext, catalog: Catalog, rows: readonly DefinitionRow[]): Promise<Form[]> {
  const { tx, tenantId } = context
  const ids = rows.map((row) => row.definitionId)
  const owners = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.ownerId))])
  const versions = await findLayoutVersions(tx, tenantId, ids)
  const mayCreate = creating(context, catalog)
  const forms: Form[] = []
  for (const definition of await readDefinitions(context, rows, catalog)) {
    const entity = mustBeEntity(catalog, definition.entityId ?? 0)
    const { layout, findings } = await readStored(context, catalog, entity, definition)
    const { definitionId: id, internalName, description, isShared, isSystem, isApiVisible, createdDate, modifiedDate } = definition
    const { allowNew, allowEdit, allowDelete } = layout
    forms.push({
      id,
      internalName,
      description,
      entity: entity.internalName,
      entityId: entity.entityId,
      allowNew,
      allowEdit,
      allowDelete,
      canCreate: allowNew && (await mayCreate(entity)),
      isShared,
      isSystem,
      isApiVisible,
      binding: bindingOf(layout, definition),
      layoutVersion: mustExist(versions.get(id), 'form'),
      createdDate,
      modifiedDate,
      ownerName: owners.get(definition.ownerId) ?? null,
      validation: findings.length === 0 ? null : envelope(findings),
    })
  }
  return forms
}

function bindingOf({ entity, view, sections }: FormLayout, { body }: Definition): Form['binding'] {
  const entities = new Set([entity, ...sections.flatMap((section) => (section.type === 'list' ? section.entity : []))])
  const shown = { entities: [...entities].map((one) => one.internalName) }
  if (view) return { type: 'view', id: view.viewId, name: view.internalName, ...shown }
  // Written by `checkDraft`, which has read it; a view that is gone is still named.
  const said = body['binding'] as { readonly type: 'entity' | 'view'; readonly name: string }
  return said.type === 'view' ? { ...said, id: null, ...shown } : { ...said, id: entity.entityId, ...shown }
}

export async function showForm(context: TxContext, catalog: Catalog, row: DefinitionRow): Promise<Form> {
  const [shown] = await showForms(context, catalog, [row])
  if (!shown) throw new Error('A form was not shown')
  return shown
}

const named = formRecord.pick({ internalName: true }).extend({ internalName: newName('form') })

/** A layout to keep, and the name that it or the call gives the form. Throws 400 or 422 with every finding. */
export async function readFormDraft(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  said: unknown,
  inBody: string | undefined,
): Promise<Pick<DefinitionDraft, 'body' | 'references'> & { readonly internalName: string | undefined }> {
  const { body, references, internalName: inLayout, findings } = await checkDraft(context, catalog, entity, said)
  const { name, findings: ofName } = nameOfDraft(inBody, inLayout)
  const read = name === undefined || name === inBody ? undefined : readDraft(named, { internalName: name }, '$.layoutJson')
  const told = new Set(findings.map((one) => one.path))
  const wrong = read && !read.isOk ? read.findings.filter((one) => !told.has(one.path)) : []
  refuseErrors([...findings, ...ofName, ...wrong], 'The form')
  return { body, references, internalName: name }
}

export const nameless: Finding = finding('$.internalName', 'Required, here or in the layout: how the form is called.')

/** Keeps the row's layout as a version of its own. */
export async function keepLayout(context: TxContext, row: DefinitionRow, layoutVersion: number): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  const { body, refs } = row
  await insertLayout(tx, tenantId, row.definitionId, { layoutVersion, body, refs, createdDate: stamp, createdBy: actor.tenantUserId })
}

export async function layoutVersionOf({ tx, tenantId }: TxContext, { definitionId }: DefinitionRow): Promise<number> {
  return mustExist((await findLayoutVersions(tx, tenantId, [definitionId])).get(definitionId), 'form')
}

/** Throws AppError `stale_layout` where a call was made for another version of the layout. */
export function refuseStale(layoutVersion: number, expected: number | undefined): void {
  if (expected === undefined || expected === layoutVersion) return
  throw new AppError(
    'stale_layout',
    `The layout has the version ${layoutVersion} by now, and the call expects ${expected}. Read the form again, and repeat with what is still right.`,
  )
}

/** A form, ready to be filled in. */
interface SoundForm {
  readonly formId: number
  readonly internalName: string
  readonly layoutVersion: number
  readonly layout: FormLayout
}

/** The form that a path names, ready to be filled in. Throws 404, and 409 where what it names is gone. */
export async function soundForm(
  context: TxContext,
  catalog: Catalog,
  slot: IdOrName,
): Promise<SoundForm & { readonly row: DefinitionRow }> {
  const row = await mustFindDefinition(context, placeOfForms, slot)
  const [definition] = await readDefinitions(context, [row], catalog)
  if (!definition) throw new Error('A form was not read')
  const { layout, findings } = await readStored(context, catalog, mustBeEntity(catalog, row.entityId ?? 0), definition)
  refuseErrors(
    findings.map((one) => ({ ...one, code: 'conflict' })),
    `The form ${row.internalName}`,
    'used',
  )
  return { formId: row.definitionId, internalName: row.internalName, layoutVersion: await layoutVersionOf(context, row), layout, row }
}
