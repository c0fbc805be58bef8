import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { definitionId } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { countsTotal, decodeCursor, encodeCursor, notOfThisList, pageInput, pageOf } from '#platform/paging.ts'

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
    includeTotal: z.boolean().optional().describe('true unless told; the first page then counts all'),
  }),
  errors: [],
  examples: [{ title: 'The newest files about a gate', input: { search: 'gate', pageSize: 20 }, output: [exampleAsset] }],
  async handler({ tx, tenantId }, input) {
    const { page, pageSize, cursor } = pageOf(input)
    const after = cursor === undefined ? undefined : readCursor(cursor)
    const rows = await listNewest(tx, tenantId, { ...input, after, offset: after ? 0 : (page - 1) * pageSize, limit: pageSize })
    const items = rows.slice(0, pageSize)
    const last = items.at(-1)
    return listing(items, {
      nextCursor: rows.length > pageSize && last ? encodeCursor([last.createdDate, last.assetKey]) : undefined,
      totalCount: countsTotal(input) ? await countAssets(tx, tenantId, input) : undefined,
    })
  },
})

function readCursor(cursor: string): readonly [string, string] {
  const parsed = cursorPart.safeParse(decodeCursor(cursor, 2))
  if (!parsed.success) throw notOfThisList()
  return parsed.data
}
