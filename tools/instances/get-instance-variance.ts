import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { fitting } from '#platform/paging.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { anyRecordId, changesBetween, chosenProperties, showing, listVersions, readFrame, timeOf } from '#tools/query/service.ts'

import { anyValue, data, person } from './instances.schema.ts'
import { findDisplayNames } from '#tools/users/service.ts'

/** The cap of the specification: more snapshots than these, or than fit into an answer, are cut, and `truncated` says so. */
const maxSnapshots = 500

const output = z.object({
  snapshots: z.array(z.object({ snapshotDate: z.iso.datetime(), data, changeFlags: z.record(z.string(), z.boolean()) })),
  diffs: z.array(z.object({ property: z.string(), from: anyValue, to: anyValue, changedDate: z.iso.datetime(), changedBy: person })),
  truncated: z.boolean(),
})

export const getInstanceVariance = defineOperation({
  ...reads(output),
  name: 'get_instance_variance',
  title: 'How a record varied',
  description:
    'Snapshots of one record in a range of time, oldest first, and each difference with who and when; at most 500 snapshots, and what an answer holds: while truncated, go on with dateFrom a millisecond after the last snapshotDate. propertyNames or propertyIds narrow it. Whole versions: get_instance_history.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/variance',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  input: z.object({
    entity,
    record,
    dateFrom: z.string().max(100).optional().describe('ISO 8601 time, or a day for its beginning'),
    dateTo: z.string().max(100).optional().describe('ISO 8601 time, or a day for its end; included'),
    propertyNames: z.array(z.string().max(200)).max(300).optional().describe('Only these; all unless told'),
    propertyIds: z.array(z.int()).max(300).optional().describe('The same by ids'),
  }),
  examples: [
    {
      title: 'When did the status change?',
      input: { entity: 'WorkOrder', record: '20481', propertyNames: ['Status'] },
      output: {
        snapshots: [{ snapshotDate: '2026-03-01T08:30:00.000Z', data: { Status: 'open' }, changeFlags: { Status: true } }],
        diffs: [
          {
            property: 'Status',
            from: null,
            to: 'open',
            changedDate: '2026-03-01T08:30:00.000Z',
            changedBy: { tenantUserId: 7, displayName: 'Ada' },
          },
        ],
        truncated: false,
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const from = input.dateFrom === undefined ? undefined : timeOf(input.dateFrom, 'dateFrom', 'begin')
    const to = input.dateTo === undefined ? undefined : timeOf(input.dateTo, 'dateTo', 'end')
    if (from !== undefined && to !== undefined && from > to)
      throw new AppError('invalid_input', 'dateFrom is later than dateTo. Exchange them.')
    const frame = await readFrame(context, input.entity)
    const asked = [...(input.propertyNames ?? []), ...(input.propertyIds ?? [])]
    const shown = {
      properties: asked.length === 0 ? frame.entity.properties : chosenProperties(frame.entity, asked, '$.propertyNames'),
      withDataJson: false,
    }
    const id = await anyRecordId(context, frame, input.record)
    const found = await inRecords(tx, tenantId, () =>
      listVersions(tx, showing(frame, shown, { rows: 'versions' }), id, {
        fromVersion: 0,
        limit: maxSnapshots + 1,
        bytes: context.answerBytes,
        from,
        to,
      }),
    )
    // A version that began before the range is where its first difference starts from, not a snapshot of it.
    const before = from !== undefined && found.rows[0] && found.rows[0].validFrom < from ? found.rows[0] : undefined
    const rows = before ? found.rows.slice(1) : found.rows
    const people = await findDisplayNames(tx, tenantId, [...new Set(rows.flatMap((row) => row.modifiedBy ?? []))])
    const told = rows.slice(0, maxSnapshots).map((row, index) => {
      const changes = changesBetween(rows[index - 1] ?? before, row)
      const isChanged = new Set(changes.map((change) => change.property))
      return {
        snapshot: {
          snapshotDate: row.validFrom,
          data: row.data,
          changeFlags: Object.fromEntries(Object.keys(row.data).map((name) => [name, isChanged.has(name)])),
        },
        diffs: changes.map(({ property, from: earlier, to: later }) => ({
          property,
          // History holds what the output schema describes: JSON values of properties.
          from: earlier as never,
          to: later as never,
          changedDate: row.validFrom,
          changedBy: {
            tenantUserId: row.modifiedBy,
            displayName: row.modifiedBy === null ? 'system' : (people.get(row.modifiedBy) ?? 'unknown'),
          },
        })),
      }
    })
    // A snapshot goes with its differences, or one without the other would look as if nothing had changed.
    const whole = fitting(context.answerBytes, told)
    return {
      snapshots: whole.map(({ snapshot }) => snapshot),
      diffs: whole.flatMap(({ diffs }) => diffs),
      truncated: found.hasMore || whole.length < rows.length,
    }
  },
})
