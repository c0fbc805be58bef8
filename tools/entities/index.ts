import type { Domain } from '#platform/operation.ts'

import type { AccessFloor } from './access.types.ts'
import { attachChildEntity } from './attach-child-entity.ts'
import { attachPeerEntity } from './attach-peer-entity.ts'
import { attachProperty } from './attach-property.ts'
import { cloneEntity } from './clone-entity.ts'
import { createEntity } from './create-entity.ts'
import { deleteEntity } from './delete-entity.ts'
import { describeEntity } from './describe-entity.ts'
import { detachChildEntity } from './detach-child-entity.ts'
import { detachPeerEntity } from './detach-peer-entity.ts'
import { detachProperty } from './detach-property.ts'
import { entitiesPhrases } from './entities.phrases.ts'
import { getEntityAccess } from './get-entity-access.ts'
import { getEntityUsage } from './get-entity-usage.ts'
import { listEntities } from './list-entities.ts'
import { listEntityRelationships } from './list-entity-relationships.ts'
import { listIdentityLinks } from './list-identity-links.ts'
import { reorderEntityProperties } from './reorder-entity-properties.ts'
import { setEntityAccess } from './set-entity-access.ts'
import { setEntityDisplay } from './set-entity-display.ts'
import { setEntityIdentityBridge } from './set-entity-identity-bridge.ts'
import { updateEntityProperty } from './update-entity-property.ts'
import { updateEntity } from './update-entity.ts'
import { validateEntity } from './validate-entity.ts'

export const entitiesDomain = (floor: AccessFloor): Domain => ({
  name: 'entities',
  title: 'Entities',
  summary:
    'Kinds of records: composed of properties, with keys, parents, children and peers, and a bridge to the users that some of them are.',
  operations: [
    listEntities,
    describeEntity(floor),
    createEntity,
    updateEntity,
    deleteEntity,
    setEntityDisplay,
    cloneEntity,
    validateEntity,
    getEntityUsage,
    attachProperty,
    updateEntityProperty,
    reorderEntityProperties,
    detachProperty,
    attachChildEntity,
    detachChildEntity,
    attachPeerEntity,
    detachPeerEntity,
    listEntityRelationships,
    setEntityIdentityBridge,
    listIdentityLinks(floor),
    getEntityAccess,
    setEntityAccess(floor),
  ],
  phrases: entitiesPhrases,
})
