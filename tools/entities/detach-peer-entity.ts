import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { holdsLinks } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { deleteRelationRow, listRelations } from './composition.store.ts'
import { deleted } from './entities.schema.ts'
import { mustFindEntity } from './service.ts'

export const detachPeerEntity = defineOperation({
  ...destroys(z.object({ peerEntityId: z.int(), deleted })),
  name: 'detach_peer_entity',
  title: 'End a peer relationship',
  description:
    'Ends the peer relationship of two entities, from either side; both stay. 409 while records of the two are linked. list_entity_relationships shows the peers.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}/peers/{peerEntity}',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName, peerEntity: idOrName, force }),
  examples: [{ title: 'By names', input: { entity: 'Equipment', peerEntity: 'Contact' }, output: { peerEntityId: 10_090, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const entity = await mustFindEntity(context, input.entity)
    const peer = await mustFindEntity(context, input.peerEntity, 'peerEntity')
    return changeDefinitions(
      context,
      async () => [entity.entityId, peer.entityId],
      async () => {
        const relations = await listRelations(tx, tenantId, entity.entityId)
        const relation = mustExist(
          relations.find(
            (one) =>
              one.kind === 'peer' &&
              ((one.entityId === entity.entityId && one.otherEntityId === peer.entityId) ||
                (one.entityId === peer.entityId && one.otherEntityId === entity.entityId)),
          ),
          'peer entity',
        )
        if (await holdsLinks(tx, tenantId, entity.entityId, peer.entityId)) {
          throw new AppError('conflict', `Records of ${entity.internalName} and ${peer.internalName} are linked. Unlink them first.`)
        }
        await refuseUsed(
          context,
          { entityId: entity.entityId, otherEntityId: peer.entityId },
          `The relationship of ${entity.internalName} and ${peer.internalName}`,
          input.force,
        )
        await deleteRelationRow(tx, tenantId, relation.entityRelationId)
        return { peerEntityId: peer.entityId, deleted: true as const }
      },
    )
  },
})
