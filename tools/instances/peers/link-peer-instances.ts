import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { eiRecordId } from '../instances.schema.ts'
import { openLinking, refuseSecondPeers } from './linking.ts'
import { peersInput } from './peers.schema.ts'
import { insertLinks } from './peers.store.ts'

export const linkPeerInstances = defineOperation({
  ...writes(
    z.object({ eiRecordId, linked: z.int().describe('Peers that are new'), unchanged: z.int().describe('Peers that were linked before') }),
  ),
  isIdempotent: true,
  errors: ['not_found', 'unknown_entity'],
  name: 'link_peer_instances',
  title: 'Link a record with peers',
  description:
    'Links a record with records of a peer entity (attach_peer_entity), all or nothing; a link shows from both sides, and linking twice is linking once. list_peer_instances shows them.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/peers',
  roles: 'DataEdit',
  input: z.object(peersInput),
  examples: [
    {
      title: 'Two contacts of a machine',
      input: { entity: 'Equipment', record: 'M-7', peerEntity: 'Contact', eiRecordIds: [40961, 40962] },
      output: { eiRecordId: 20490, linked: 2, unchanged: 0 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, actor } = context
    const linking = await openLinking(context, input)
    const { ends, frame } = linking
    const by = { epoch: frame.epoch, stamp, tenantUserId: actor.tenantUserId }
    const linked = await inRecords(tx, tenantId, () => insertLinks(tx, tenantId, ends, by))
    await refuseSecondPeers(context, linking)
    context.audit({ eiRecordId: ends.id, peerEntityId: ends.peerEntityId, linked })
    return { eiRecordId: ends.id, linked, unchanged: ends.peerIds.length - linked }
  },
})
