import { z } from 'zod'

import type { Answer } from '#platform/answer.ts'
import { inRecords } from '#platform/db/records.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf, totalOf } from '#platform/paging.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import {
  anyRecordId,
  changeKindOf,
  changesBetween,
  showing,
  findVersion,
  listVersions,
  movesBetween,
  readFrame,
} from '#tools/query/service.ts'

import { anyValue, data, person, withheld } from './instances.schema.ts'
import { type LinkChange, listLinkChanges } from './link-authors.store.ts'
import { findDisplayNames } from '#tools/users/service.ts'

const changed = z.string().describe('internalName; key1..3 where the record was renamed, parentEIRecordId where it was moved')

const version = z.object({
  version: z.int(),
  validFrom: z.iso.datetime(),
  validTo: z.iso.datetime().nullable().describe('null: it is the present version'),
  changeKind: z.enum(['added', 'modified', 'deleted', 'restored']),
  changedBy: person,
  changes: z.array(z.object({ property: changed, from: anyValue, to: anyValue })),
  data,
  rowHash: z.string(),
  withheld,
  by: z
    .object({ tenantUserId: z.int().optional(), address: z.string().optional(), linkId: z.int(), madeBy: z.int() })
    .optional()
    .describe('Through a signed link: its recipient, and whose right it was'),
})

function authorOf({ linkId, madeBy, toUserId, toAddress }: LinkChange): NonNullable<z.output<typeof version>['by']> {
  return { ...(toUserId === null ? { address: toAddress ?? '' } : { tenantUserId: toUserId }), linkId, madeBy }
}

export const getInstanceHistory = defineOperation({
  ...reads(z.array(version)),
  name: 'get_instance_history',
  title: 'Every version of a record',
  description:
    'Every version of one record since it was made, oldest first: who, when, what changed, and the values. Deleted records too. For one moment: get_instance_as_of; for some properties over time: get_instance_variance.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/history',
  roles: 'DataView',
  input: z.object({
    entity,
    record,
    ...pageInput,
    pageSize: pageInput.pageSize.describe('1,000 unless told'),
  }),
  examples: [
    {
      title: 'A work order that was closed',
      input: { entity: 'WorkOrder', record: '20481' },
      output: [
        {
          version: 1,
          validFrom: '2026-03-01T08:30:00.000Z',
          validTo: null,
          changeKind: 'added',
          changedBy: { tenantUserId: 7, displayName: 'Ada' },
          changes: [{ property: 'Status', from: null, to: 'open' }],
          data: { Title: 'Replace the gate valve', Status: 'open' },
          rowHash: '5F1C0A6E0D7B4F3D8C1E2A9B7D6C5E4F3A2B1C0D',
        },
      ],
    },
  ],
  async handler(context, input): Promise<Answer<z.input<typeof version>[]>> {
    const { tx, tenantId } = context
    const page = pageOf(context, { ...input, pageSize: input.pageSize ?? 1000 })
    const frame = await readFrame(context, input.entity)
    const id = await anyRecordId(context, frame, input.record)
    // Versions are numbered without gaps, so a page is a range of numbers.
    const first = page.cursor === undefined ? page.offset + 1 : decodeIdCursor(page.cursor)
    // One version before the page tells what the first one of the page changed.
    const found = await inRecords(tx, tenantId, () =>
      listVersions(tx, showing(frame, undefined, { rows: 'versions' }), id, {
        fromVersion: first - 1,
        limit: page.pageSize + 1,
        bytes: page.bytes,
      }),
    )
    const before = found.rows[0]?.version === first - 1 ? found.rows[0] : undefined
    const rows = (before ? found.rows.slice(1) : found.rows).slice(0, page.pageSize)
    const names = await findDisplayNames(tx, tenantId, [...new Set(rows.flatMap((row) => row.modifiedBy ?? []))])
    const byLink = new Map((await listLinkChanges(tx, tenantId, id)).map((change) => [change.usedDate, change]))
    const versions = rows.map((row, index) => {
      const earlier = rows[index - 1] ?? before
      const link = byLink.get(row.validFrom)
      return {
        version: row.version,
        validFrom: row.validFrom,
        validTo: row.validTo,
        changeKind: changeKindOf(row, earlier),
        changedBy:
          link?.toUserId === null
            ? { tenantUserId: null, displayName: link.toAddress ?? '' }
            : {
                tenantUserId: row.modifiedBy,
                displayName: row.modifiedBy === null ? 'system' : (names.get(row.modifiedBy) ?? 'unknown'),
              },
        ...(link ? { by: authorOf(link) } : {}),
        changes: [...movesBetween(frame.entity, earlier, row), ...changesBetween(earlier, row)],
        data: row.data,
        rowHash: row.rowHash,
        ...(row.withheld === undefined ? {} : { withheld: [...row.withheld] }),
      }
    })
    const count = page.countTo === undefined ? 0 : await inRecords(tx, tenantId, () => findVersion(tx, frame, id))
    const hasMore = found.hasMore || found.rows.length - (before ? 1 : 0) > rows.length
    return listOf(
      page,
      { rows: versions, hasMore },
      {
        // History holds what the output schema describes: JSON values of properties.
        show: (one) => one as never,
        cursor: (one) => [one.version + 1],
        total: totalOf(page, count),
      },
    )
  },
})
