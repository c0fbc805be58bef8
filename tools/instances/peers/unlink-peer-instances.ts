import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { eiRecordId } from '../instances.schema.ts'
import { openLinking, refuseMissingPeers } from './linking.ts'
import { peersInput } from './peers.schema.ts'
import { endLinks } from './peers.store.ts'

export const unlinkPeerInstances = defineOperation({
  ...writes(z.object({ eiRecordId, unlinked: z.int(), unchanged: z.int().describe('Records that were not linked') })),
  isIdempotent: true,
  errors: ['not_found', 'unknown_entity'],
  name: 'unlink_peer_instances',
  title: 'Unlink a record from peers',
  description:
    'Ends the links of a record with records of a peer entity, all or nothing; the records stay, and lists as of an earlier time still show the link. Unlinking what is not linked changes nothing.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/peers/unlink',
  roles: 'DataEdit',
  input: z.object(peersInput),
  examples: [
    {
      title: 'A contact who has left',
      input: { entity: 'Equipment', record: 'M-7', peerEntity: 'Contact', keys: [{ key1: 'ana@example.com' }] },
      output: { eiRecordId: 20490, unlinked: 1, unchanged: 0 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, actor } = context
    const linking = await openLinking(context, input)
    const { ends, frame } = linking
    const by = { epoch: frame.epoch, stamp, tenantUserId: actor.tenantUserId }
    const unlinked = await inRecords(tx, tenantId, () => endLinks(tx, tenantId, ends, by))
    if (unlinked > 0) await refuseMissingPeers(context, linking)
    context.audit({ eiRecordId: ends.id, peerEntityId: ends.peerEntityId, unlinked })
    return { eiRecordId: ends.id, unlinked, unchanged: ends.peerIds.length - unlinked }
  },
})
