import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { hasRecords } from '#platform/db/record-values.ts'
import { AppError } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { listRelations } from './composition.store.ts'
import { deleted, entityId } from './entities.schema.ts'
import { deleteEntityRow, listEntityRows } from './entities.store.ts'
import { mustFindEntity } from './service.ts'

export const deleteEntity = defineOperation({
  ...destroys(z.object({ entityId, deleted })),
  name: 'delete_entity',
  title: 'Delete an entity',
  description:
    'Deletes the definition of an entity that has no records and no relationship to another entity; its properties stay. Its deleted records and their history go too. 409 while it has live records (delete_instances_bulk) or relationships (detach_child_entity, detach_peer_entity). Its views go with it. get_entity_usage shows who uses it.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName, force }),
  examples: [{ title: 'By name', input: { entity: 'WorkOrder' }, output: { entityId: 10_060, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entityId, internalName } = await mustFindEntity(context, input.entity)
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const relations = await listRelations(tx, tenantId, entityId)
        const others = new Set(relations.flatMap((relation) => [relation.entityId, relation.otherEntityId]).filter((id) => id !== entityId))
        if (others.size > 0) {
          const names = (await listEntityRows(tx, tenantId)).filter((row) => others.has(row.entityId)).map((row) => row.internalName)
          throw new AppError(
            'conflict',
            `${internalName} is related to ${names.join(', ')}. Call detach_child_entity or detach_peer_entity first.`,
          )
        }
        if (await hasRecords(tx, tenantId, entityId)) {
          throw new AppError('conflict', `${internalName} has live records. Delete them first, many at once with delete_instances_bulk.`)
        }
        await refuseUsed(context, { entityId }, internalName, input.force)
        await deleteEntityRow(tx, tenantId, entityId)
        context.audit({ entityId, internalName })
        return { entityId, deleted: true as const }
      },
    )
  },
})
