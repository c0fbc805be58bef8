import { z } from 'zod'

import { compareEpoch } from '#platform/db/epoch.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { envelopeBytes, fitting, pageSizeMax } from '#platform/paging.ts'
import { entity } from '#tools/query/query.schema.ts'
import { readChanges, readFrame } from '#tools/query/service.ts'

import { sightMayLag, tombstone } from './instances.schema.ts'
import { findDisplayNames } from '#tools/users/service.ts'

type Row = Omit<z.input<typeof tombstone>, 'deletedBy'> & { deletedBy: number | null; changeNo: string }

export const listInstancesDeletedSince = defineOperation({
  ...reads(z.object({ rows: z.array(tombstone), watermark: z.string(), hasMore: z.boolean(), sightMayLag })),
  name: 'list_instances_deleted_since',
  title: 'Records deleted since a watermark',
  description:
    'Tombstones of records deleted since a watermark: who and when, without values. Keep the answered watermark and send it next time. Additions and changes too: list_instances_changed_since.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/deleted-since',
  roles: 'DataView',
  errors: ['not_found', 'watermark_reset'],
  input: z.object({
    entity,
    watermark: z.string().max(2000).optional().describe('From the last answer, or an ISO 8601 time (inclusive; may repeat)'),
    pageSize: z.int().min(1).max(pageSizeMax).optional(),
  }),
  examples: [
    {
      title: 'From the beginning',
      input: { entity: 'WorkOrder' },
      output: {
        rows: [
          {
            eiRecordId: 20481,
            entityId: 12,
            key1: 'WO-1001',
            key2: '',
            key3: '',
            externalKey: 'WO-1001',
            deletedDate: '2026-03-02T08:30:00.000Z',
            deletedBy: { tenantUserId: 7, displayName: 'Ada' },
          },
        ],
        watermark: 'WyJ3MSIsImY2',
        hasMore: false,
      },
    },
  ],
  async handler(context, input) {
    const frame = await readFrame(context, input.entity)
    const changes = await readChanges(
      context,
      frame,
      { watermark: input.watermark, pageSize: input.pageSize ?? 50, onlyDeleted: true },
      () => {
        throw new StaleRead('the cluster was restarted', () => compareEpoch(context.services.databases))
      },
    )
    // The statement built this text itself, in the shape of Row.
    const found = JSON.parse(changes.items) as Row[]
    const names = await findDisplayNames(context.tx, context.tenantId, [...new Set(found.flatMap((row) => row.deletedBy ?? []))])
    const shown = found.map(({ changeNo: _changeNo, deletedBy, ...row }) => ({
      ...row,
      deletedBy: { tenantUserId: deletedBy, displayName: deletedBy === null ? 'system' : (names.get(deletedBy) ?? 'unknown') },
    }))
    // The names come on top of what PostgreSQL has counted.
    const rows = fitting(context.answerBytes - envelopeBytes, shown)
    const lag = changes.sightMayLag ? { sightMayLag: true as const } : {}
    const last = found[rows.length - 1]
    if (last === undefined || rows.length === shown.length)
      return { rows: [...rows], watermark: changes.watermark, hasMore: changes.hasMore, ...lag }
    return {
      rows: [...rows],
      watermark: changes.watermarkAt({ changeNo: last.changeNo, id: String(last.eiRecordId) }),
      hasMore: true,
      ...lag,
    }
  },
})
