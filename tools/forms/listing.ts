/** Lists of forms. */
import type { z } from 'zod'

import type { TxContext } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, type Place, placeOf } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'

import { showForms } from './shown.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const formPageInput = { page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor } as const

/** A page of the forms of a place that the caller sees. */
export async function listFormPage(
  context: TxContext,
  catalog: Catalog,
  place: Place,
  input: { readonly [name in keyof typeof formPageInput]?: z.output<(typeof formPageInput)[name]> | undefined },
) {
  const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
  const found = await listDefinitionPage(context, place, asked)
  const shown = await showForms(context, catalog, found.rows)
  return listOf(asked, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
}
