import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { entity, listInput, narrowInput, record } from '#tools/query/query.schema.ts'
import { anyRecordId, listRecords, liveRecordId, readFrame, type ReadFrame, readFrameOf, timeOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from '../instances.schema.ts'
import { peerNamed } from './linking.ts'

const peer = instance.extend({
  linkedDate: z.iso.datetime(),
  linkedBy: z.int().nullable().describe('tenantUserId; null: the system'),
})

/** The entity whose records are asked for: the one that is named, or the only one. */
function peerOf({ catalog, entity: own }: ReadFrame, named: string | number | undefined) {
  if (named !== undefined) return peerNamed(catalog, own, named)
  const [only, ...others] = own.peers
  if (only !== undefined && others.length === 0) return peerNamed(catalog, own, only)
  const names = catalog.entities.filter(({ entityId }) => own.peers.includes(entityId)).map(({ internalName }) => internalName)
  const message =
    names.length === 0
      ? `${own.internalName} has no peer entities; attach_peer_entity declares them.`
      : `Say which peers of ${own.internalName} are meant: ${names.join(', ')}.`
  throw new AppError('invalid_input', message, { issues: [finding('$.peerEntity', message)] })
}

export const listPeerInstances = defineOperation({
  ...reads(z.array(peer)),
  name: 'list_peer_instances',
  title: 'List the peers of a record',
  description:
    'The live records of a peer entity that are linked with a record, since when and by whom; filtered, sorted and paged as in list_instances. link_peer_instances links.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/peers/list',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  input: z.object({
    entity,
    record,
    peerEntity: entity.optional().describe('Where the entity has several'),
    ...listInput,
    ...narrowInput,
    asOfDate: z.string().max(100).optional().describe('As they and the links were then'),
  }),
  examples: [
    {
      title: 'Who to ask about a machine',
      input: { entity: 'Equipment', record: 'M-7', peerEntity: 'Contact', pageSize: 10 },
      output: [{ ...exampleInstance, linkedDate: '2026-11-21T10:00:00.000Z', linkedBy: 12 }],
    },
  ],
  async handler(context, { entity: slot, record: name, peerEntity, asOfDate, ...input }) {
    const frame = await readFrame(context, slot)
    const of = peerOf(frame, peerEntity)
    const asOf = asOfDate === undefined ? undefined : timeOf(asOfDate, 'asOfDate', 'end')
    const id = await (asOf === undefined ? liveRecordId : anyRecordId)(context, frame, name)
    const linked = { entity: frame.entity.entityId, via: 'peer', rules: [{ property: 'eiRecordId', op: 'eq', value: id }] }
    return listRecords(context, await readFrameOf(context, frame.catalog, of), input, {
      within: [{ groups: [linked] }],
      linkedTo: id,
      asOf,
    })
  },
})
