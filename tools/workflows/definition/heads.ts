/** What a workflow says of itself, read from a call. */
import type { TxContext } from '#platform/operation.ts'
import type { IdOrName } from '#platform/names.ts'
import { type Finding, finding, refuseErrors, unknownName } from '#platform/validation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'

import type { Display, Said, WorkflowBody } from './definition.types.ts'
import { entityOf } from './slots.rules.ts'

interface Given {
  readonly displays?: Parameters<typeof readDisplays>[0] | undefined
  readonly categoryId?: number | null | undefined
  readonly entity?: IdOrName | null | undefined
}

async function findUnknownEntity(context: TxContext, entity: IdOrName): Promise<Finding[]> {
  const catalog = await cachedCatalog(context)
  if (entityOf(catalog, entity)) return []
  const names = catalog.entities.map(({ internalName }) => internalName)
  return [unknownName('$.entity', 'entity', entity, names, 'list_entities', 'unknown_entity')]
}

/** Throws 400 for a language, a category or an entity that there is not. */
export async function readHead(context: TxContext, given: Given): Promise<{ readonly displays?: readonly Display[] }> {
  const references = await loadReferences(context.tx, context.tenantId)
  const { displays, findings } = readDisplays(given.displays ?? [], references, '$.displays')
  const { categoryId } = given
  const isUnknown = typeof categoryId === 'number' && !references.categories.some((one) => one.categoryId === categoryId)
  const unknown = isUnknown ? [finding('$.categoryId', `There is no category ${categoryId}. list_categories shows them.`)] : []
  const { entity } = given
  const ofEntity = entity === undefined || entity === null ? [] : await findUnknownEntity(context, entity)
  refuseErrors([...findings, ...unknown, ...ofEntity], 'The workflow')
  if (given.displays === undefined) return {}
  const codeOf = (id: number) => references.languages.find(({ languageRegionId }) => languageRegionId === id)?.languageCode ?? ''
  return {
    displays: displays.map(({ languageRegionId, name, description }) => ({
      languageRegionId,
      languageCode: codeOf(languageRegionId),
      name,
      description,
    })),
  }
}

const headNames = ['categoryId', 'entity', 'roles', 'variables', 'input', 'maxDurationDays', 'concurrency'] as const

/** A body with what a call says of the workflow; null takes it away. */
export function withHead(body: WorkflowBody, said: Said, displays: readonly Display[] | undefined): WorkflowBody {
  const change = Object.fromEntries(headNames.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])))
  const merged = Object.fromEntries(Object.entries({ ...body, ...change }).filter(([, value]) => value !== null))
  // The fields are those of a body.
  return { ...(merged as unknown as WorkflowBody), ...(displays === undefined ? {} : { displays }) }
}
