import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'

import { compiling, readFrame } from './frame.ts'
import { anyValue, data, entity, person, record } from './instances.schema.ts'
import { findDisplayNames } from './people.store.ts'
import { anyRecordId } from './queries.ts'
import { listVersions } from './versions.store.ts'
import { timeOf } from './times.rules.ts'
import { codeOfFindings, unknownProperty } from './unknown-property.rules.ts'
import { propertyIndex } from './property-index.rules.ts'
import { changesBetween } from './versions.rules.ts'

/** The cap of the specification: more snapshots than these are cut, and `truncated` says so. */
const maxSnapshots = 500

/** The internalNames of the properties that the caller asks about; undefined for all. Throws 400 for a name that the entity lacks. */
function chosen(of: CatalogEntity, names: readonly (string | number)[]): ReadonlySet<string> | undefined {
  if (names.length === 0) return undefined
  const index = propertyIndex(of.properties)
  return new Set(
    names.map((name) => {
      const property = index.get(String(name).toLowerCase())
      if (property) return property.internalName
      const known = of.properties.map((one) => one.internalName)
      const issue = unknownProperty(of.internalName, name, known, '$.propertyNames')
      throw new AppError(codeOfFindings([issue]), issue.message, { issues: [issue] })
    }),
  )
}

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
    'Snapshots of one record in a range of time, oldest first, and each difference with who and when; at most 500 snapshots. propertyNames or propertyIds narrow it. Whole versions: get_instance_history.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/variance',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  input: z.object({
    entity,
    record,
    dateFrom: z.string().max(100).optional().describe('ISO 8601 time, or a day for its beginning'),
    dateTo: z.string().max(100).optional().describe('ISO 8601 time, or a day for its end; included'),
    propertyNames: z.array(z.string()).max(300).optional(),
    propertyIds: z.array(z.int()).max(300).optional(),
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
    const only = chosen(frame.entity, [...(input.propertyNames ?? []), ...(input.propertyIds ?? [])])
    const id = await anyRecordId(context, frame, input.record)
    const found = await inRecords(tx, tenantId, () =>
      listVersions(tx, tenantId, compiling(frame), id, { fromVersion: 0, limit: maxSnapshots + 2, from, to }),
    )
    // A version that began before the range is where its first difference starts from, not a snapshot of it.
    const before = from !== undefined && found[0] && found[0].validFrom < from ? found[0] : undefined
    const rows = before ? found.slice(1) : found
    const shown = rows.slice(0, maxSnapshots)
    const names = await findDisplayNames(tx, tenantId, [...new Set(shown.flatMap((row) => row.modifiedBy ?? []))])
    const compared = shown.map((row, index) => ({ row, changes: changesBetween(shown[index - 1] ?? before, row, only) }))
    const pick = (values: Record<string, unknown>) =>
      only ? Object.fromEntries(Object.entries(values).filter(([name]) => only.has(name))) : values
    return {
      snapshots: compared.map(({ row, changes }) => ({
        snapshotDate: row.validFrom,
        data: pick(row.data),
        changeFlags: Object.fromEntries(
          Object.keys(pick(row.data)).map((name) => [name, changes.some((change) => change.property === name)]),
        ),
      })),
      diffs: compared.flatMap(({ row, changes }) =>
        changes.map((change) => ({
          property: change.property,
          // History holds what the output schema describes: JSON values of properties.
          from: change.from as never,
          to: change.to as never,
          changedDate: row.validFrom,
          changedBy: {
            tenantUserId: row.modifiedBy,
            displayName: row.modifiedBy === null ? 'system' : (names.get(row.modifiedBy) ?? 'unknown'),
          },
        })),
      ),
      truncated: rows.length > maxSnapshots,
    }
  },
})
