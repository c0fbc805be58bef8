import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findChildUse } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { deleteRelationRow, listRelations } from './composition.store.ts'
import { deleted } from './entities.schema.ts'
import { mustFindEntity } from './service.ts'

export const detachChildEntity = defineOperation({
  ...destroys(z.object({ childEntityId: z.int(), deleted })),
  name: 'detach_child_entity',
  title: 'Detach a child entity',
  description:
    'Ends a parent and child relationship between two entities; both stay. 409 while live records of the child stand under records of the parent: move or delete those first. describe_entity and list_entity_relationships show the children.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}/children/{childEntity}',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName.describe('The parent'), childEntity: idOrName, force }),
  examples: [
    { title: 'By names', input: { entity: 'WorkOrder', childEntity: 'WorkLog' }, output: { childEntityId: 10_066, deleted: true } },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const parent = await mustFindEntity(context, input.entity)
    const child = await mustFindEntity(context, input.childEntity, 'childEntity')
    return changeDefinitions(
      context,
      async () => [parent.entityId, child.entityId],
      async () => {
        const relations = await listRelations(tx, tenantId, parent.entityId)
        const relation = mustExist(
          relations.find((one) => one.kind === 'child' && one.entityId === parent.entityId && one.otherEntityId === child.entityId),
          'child entity',
        )
        const use = await findChildUse(tx, tenantId, parent.entityId, child.entityId)
        if (use.hasChildren) {
          throw new AppError(
            'conflict',
            `Records of ${child.internalName} stand under records of ${parent.internalName}. Move or delete them first.`,
          )
        }
        await refuseUsed(
          context,
          { entityId: parent.entityId, otherEntityId: child.entityId },
          `The relationship of ${parent.internalName} and ${child.internalName}`,
          input.force,
        )
        await deleteRelationRow(tx, tenantId, relation.entityRelationId)
        return { childEntityId: child.entityId, deleted: true as const }
      },
    )
  },
})
