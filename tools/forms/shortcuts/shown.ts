/** Shortcuts as their operations answer, keep and find them. */
import type { z } from 'zod'

import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding, refuseErrors } from '#platform/validation.ts'
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionRow,
  mustFindDefinition,
  type Place,
  readBody,
  readDefinitions,
  referencesOfFilter,
  referencesOfTokens,
} from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, mustBeEntity } from '#tools/entities/service.ts'
import { findFilterProblems, withCallersValues } from '#tools/query/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { placeOfForms } from '../shown.ts'
import type { shortcut } from './shortcuts.schema.ts'

type Shortcut = z.output<typeof shortcut>

/** The form whose shortcuts a call is about. */
export interface FormHome {
  readonly catalog: Catalog
  readonly entity: CatalogEntity
  readonly formId: number
  readonly place: Place
}

/** Throws 404. A form that no longer fits still shows its shortcuts. */
export async function findHome(context: TxContext, slot: IdOrName): Promise<FormHome> {
  const catalog = await cachedCatalog(context)
  const { definitionId: formId, entityId } = await mustFindDefinition(context, placeOfForms, slot)
  const entity = mustBeEntity(catalog, entityId ?? 0)
  const place = {
    kind: 'formShortcut',
    entityId: entity.entityId,
    partOf: formId,
    lister: 'list_form_shortcuts',
    field: 'shortcut',
  } as const
  return { catalog, entity, formId, place }
}

function findProblems({ catalog, entity }: FormHome, { body, gone }: Pick<Definition, 'body' | 'gone'>): Finding[] {
  const lost = gone.map((one) => ({ ...one, path: `$.filterJson${one.path.slice(1)}` }))
  const told = new Set(lost.map((one) => one.path))
  const found = findFilterProblems(catalog, entity, body, '$.filterJson', { hasTokens: true })
  return [...lost, ...found.filter((one) => !told.has(one.path))]
}

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showShortcuts(context: TxContext, home: FormHome, rows: readonly DefinitionRow[]): Promise<Shortcut[]> {
  const names = await findDisplayNames(context.tx, context.tenantId, [...new Set(rows.map((row) => row.ownerId))])
  const definitions = await readDefinitions(context, rows, home.catalog)
  return mapInTurns(definitions, (definition) => {
    const { definitionId, internalName, description, isShared, isSystem, isApiVisible, createdDate, modifiedDate } = definition
    const findings = findProblems(home, definition)
    return {
      entityFormShortcutId: definitionId,
      entityFormLayoutId: home.formId,
      internalName,
      description,
      isShared,
      isSystem,
      isApiVisible,
      filterJson: JSON.stringify(definition.body),
      createdDate,
      modifiedDate,
      ownerName: names.get(definition.ownerId) ?? null,
      validation: findings.length === 0 ? null : envelope(findings),
    }
  })
}

export async function showShortcut(context: TxContext, home: FormHome, row: DefinitionRow): Promise<Shortcut> {
  const [shown] = await showShortcuts(context, home, [row])
  if (!shown) throw new Error('A shortcut was not shown')
  return shown
}

/** The filter of a shortcut to keep, with what it names. Throws 400 with every finding. */
export async function readDraft(home: FormHome, said: unknown): Promise<Pick<DefinitionDraft, 'body' | 'references'>> {
  const read = await readBody(Array.isArray(said) ? { rules: said } : said, '$.filterJson')
  const body = 'body' in read ? read.body : {}
  refuseErrors('findings' in read ? read.findings : findProblems(home, { body, gone: [] }), 'The shortcut')
  const { catalog, entity, formId } = home
  return {
    body,
    references: [
      { entityId: entity.entityId },
      { definitionId: formId },
      ...referencesOfFilter(catalog, entity, body, []),
      ...referencesOfTokens(catalog, body, []),
    ],
  }
}

/** The filter of the shortcut that a path names; undefined where a token of it has no value. Throws 404, and 409 where what it names is gone. */
export async function filterOfShortcut(context: TxContext, home: FormHome, slot: IdOrName): Promise<readonly unknown[] | undefined> {
  const row = await mustFindDefinition(context, home.place, slot)
  const [definition] = await readDefinitions(context, [row], home.catalog)
  if (!definition) throw new Error('A shortcut was not read')
  refuseErrors(
    findProblems(home, definition).map((one) => ({ ...one, code: 'conflict' })),
    `The shortcut ${row.internalName}`,
    'used',
  )
  const [filled] = await withCallersValues(context, home.catalog, [definition.body])
  return filled && [filled.filter]
}
