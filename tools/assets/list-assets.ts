import { z } from 'zod'

import { definitionId } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeCursor, listOf, notOfThisList, pageInput, pageOf } from '#platform/paging.ts'
import { findBoundProperties } from '#tools/query/service.ts'

import { asset, exampleAsset } from './assets.schema.ts'
import { countAssets, listNewest } from './assets.store.ts'

const cursorPart = z.tuple([z.iso.datetime(), z.uuid()])

export const listAssets = defineOperation({
  ...reads(z.array(asset)),
  name: 'list_assets',
  title: 'List assets',
  description:
    'Answers the files of the tenant, the newest first, a page at a time. search looks for a part of the title or the file name, without regard to case.',
  method: 'POST',
  path: '/api/v1/assets/list',
  roles: 'DataView',
  input: z.object({
    ...pageInput,
    sourceId: definitionId.optional().describe("1 is the tenant's own store"),
    folderId: definitionId.optional(),
    search: z.string().min(1).max(200).optional(),
  }),
  errors: [],
  examples: [{ title: 'The newest files about a gate', input: { search: 'gate', pageSize: 20 }, output: [exampleAsset] }],
  async handler(context, input) {
    const { tx, tenantId, actor } = context
    const page = pageOf(context, input)
    const query = { ...input, viewerId: actor.tenantUserId, boundProperties: await findBoundProperties(context) }
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor)
    return listOf(page, await listNewest(tx, tenantId, page, { ...query, after }), {
      show: (row) => row,
      cursor: ({ createdDate, assetKey }) => [createdDate, assetKey],
      total: await countAssets(tx, tenantId, page, query),
    })
  },
})

function readCursor(cursor: string): readonly [string, string] {
  const parsed = cursorPart.safeParse(decodeCursor(cursor, 2))
  if (!parsed.success) throw notOfThisList()
  return parsed.data
}
