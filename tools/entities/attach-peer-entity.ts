import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { listRelations } from './composition.store.ts'
import { cardinalityFields, relative } from './entities.schema.ts'
import { entityInBody, insertRelations, mustFindEntity } from './service.ts'
import { listEntities } from './shown.ts'

export const attachPeerEntity = defineOperation({
  ...writes(relative),
  errors: ['not_found', 'already_exists', 'unknown_entity'],
  name: 'attach_peer_entity',
  title: 'Declare two entities peers',
  description:
    'Says that records of two entities may be linked with each other without one standing under the other; the order does not matter, and an entity may be its own peer. isList, true unless told, says that a record is meant to have several. Answers the peer. list_entity_relationships shows it from both sides.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/peers',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName, peerEntity: idOrName, ...cardinalityFields }),
  examples: [
    {
      title: 'Assets and contacts',
      input: { entity: 'Equipment', peerEntity: 'Contact' },
      output: { entityId: 10_090, internalName: 'Contact', name: 'Contact', isRequired: false, isList: true },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const entity = await mustFindEntity(context, input.entity)
    const peer = await entityInBody(context, input.peerEntity, 'peerEntity')
    return changeDefinitions(
      context,
      async () => [entity.entityId, peer.entityId],
      async () => {
        const ends = new Set([entity.entityId, peer.entityId])
        const present = await listRelations(tx, tenantId, entity.entityId)
        const isThere = present.some(
          (one) =>
            one.kind === 'peer' &&
            ends.has(one.entityId) &&
            ends.has(one.otherEntityId) &&
            new Set([one.entityId, one.otherEntityId]).size === ends.size,
        )
        if (isThere) throw new AppError('already_exists', `${entity.internalName} and ${peer.internalName} are peers already.`)
        const { isRequired = false, isList = true } = input
        await insertRelations(context, [{ kind: 'peer', entityId: entity.entityId, otherEntityId: peer.entityId, isRequired, isList }])
        context.audit({ entityId: entity.entityId, peerEntityId: peer.entityId })
        const [row] = await listEntities(tx, tenantId, await findDisplayLanguages(context), [peer.entityId])
        const { entityId, internalName, name } = mustExist(row, 'entity')
        return { entityId, internalName, name, isRequired, isList }
      },
    )
  },
})
