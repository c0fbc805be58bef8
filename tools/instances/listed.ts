/** Which records a list is about, beside its filter: what list_instances and the list of a record's children take alike. */
import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { type Listed, timeOf } from '#tools/query/service.ts'

export const listedInput = {
  modifiedSinceUtc: z.string().max(100).optional().describe('Only records changed at or after this ISO 8601 time, or day'),
  changedSince: z.string().max(100).optional().describe('Another name of modifiedSinceUtc'),
  includeDeleted: z.boolean().optional().describe('Deleted records too, with deletedDate'),
} as const

export function listedOf({
  modifiedSinceUtc,
  changedSince,
  includeDeleted,
}: {
  readonly modifiedSinceUtc?: string | undefined
  readonly changedSince?: string | undefined
  readonly includeDeleted?: boolean | undefined
}): Listed {
  if (modifiedSinceUtc !== undefined && changedSince !== undefined && modifiedSinceUtc !== changedSince) {
    throw new AppError('invalid_input', 'modifiedSinceUtc and changedSince are two names of one thing and differ. Send one of them.')
  }
  const since = modifiedSinceUtc ?? changedSince
  const field = modifiedSinceUtc === undefined ? 'changedSince' : 'modifiedSinceUtc'
  const modifiedSince = since === undefined ? undefined : timeOf(since, field, 'begin')
  return { rows: includeDeleted === true ? 'withDeleted' : 'live', modifiedSince }
}
