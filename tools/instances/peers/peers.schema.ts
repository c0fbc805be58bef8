/** What names the peers of a record. */
import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { entity, record } from '#tools/query/query.schema.ts'

import { eiRecordId, keyPart } from '../instances.schema.ts'

const most = 1_000

export const peersInput = {
  entity,
  record,
  peerEntity: entity.describe('Whose records are named; id or name'),
  eiRecordIds: z.array(eiRecordId).min(1).max(most).optional().describe('Of its records; or keys'),
  keys: z
    .array(z.strictObject({ key1: keyPart.min(1), key2: keyPart.optional(), key3: keyPart.optional() }))
    .min(1)
    .max(most)
    .optional()
    .describe('{key1, key2?, key3?} each'),
} as const

const peers = z.object(peersInput)
export type PeersInput = z.output<typeof peers>

/** Throws 400 where peers are named in both ways, or in none. */
export function refuseBothNames({ eiRecordIds, keys }: PeersInput): void {
  if ((eiRecordIds === undefined) !== (keys === undefined)) return
  const message = eiRecordIds ? 'Send eiRecordIds or keys, not both.' : 'Say which records are meant: eiRecordIds or keys.'
  throw new AppError('invalid_input', message, { issues: [finding('$.eiRecordIds', message)] })
}
