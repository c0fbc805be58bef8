/** What a workflow says of itself, read from a call. */
import type { TxContext } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'

import type { Display, Said, WorkflowBody } from './definition.types.ts'

/** Throws 400 for a language or a category that there is not. */
export async function readHead(
  { tx, tenantId }: TxContext,
  given: { readonly displays?: Parameters<typeof readDisplays>[0] | undefined; readonly categoryId?: number | null | undefined },
): Promise<{ readonly displays?: readonly Display[] }> {
  const references = await loadReferences(tx, tenantId)
  const { displays, findings } = readDisplays(given.displays ?? [], references, '$.displays')
  const { categoryId } = given
  const isUnknown = typeof categoryId === 'number' && !references.categories.some((one) => one.categoryId === categoryId)
  const unknown = isUnknown ? [finding('$.categoryId', `There is no category ${categoryId}. list_categories shows them.`)] : []
  refuseErrors([...findings, ...unknown], 'The workflow')
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
