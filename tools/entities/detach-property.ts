import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { holdsValue } from '#platform/db/record-values.ts'
import { AppError } from '#platform/errors.ts'
import { idOrName, readIdOrName } from '#platform/names.ts'
import { defineOperation, destroys, type TxContext } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { deleteEntityPropertyRow, findAnalysisInto, listRelations } from './composition.store.ts'
import { deleted, entityPropertyId, entityPropertySlot } from './entities.schema.ts'
import { listEntityRows } from './entities.store.ts'
import { mustFindEntity } from './service.ts'
import { findAttached, listAttached, noSuchAttached } from './attached.ts'

export const detachProperty = defineOperation({
  ...destroys(z.object({ entityPropertyId, deleted })),
  name: 'detach_property',
  title: 'Detach a property from an entity',
  description:
    'Takes a property off an entity; the property itself stays. 409 while live records hold a value of it, unless discardsValues says that these may go: attached again, it begins empty. 409 for a key part of records that exist, the identity of a bridge and the target of an analysis. Take entityPropertyId from describe_entity; detach_child_entity takes off a child entity.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}/properties/{entityPropertyId}',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    entityPropertyId: entityPropertySlot,
    discardsValues: z.boolean().optional().describe('false unless told'),
    force,
  }),
  examples: [
    {
      title: 'One property',
      input: { entity: 'WorkOrder', entityPropertyId: 10_064 },
      output: { entityPropertyId: 10_064, deleted: true },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const entity = await mustFindEntity(context, input.entity)
    const { entityId, internalName } = entity
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const attached = await listAttached(tx, tenantId, entityId)
        const row = findAttached(attached, input.entityPropertyId)
        if (!row) await refuseChild(context, entityId, readIdOrName(input.entityPropertyId).id)
        if (!row) throw noSuchAttached(attached, input.entityPropertyId)
        if (entity.isTenantUserRole && [entity.identityEmailPropertyId, entity.identityPhonePropertyId].includes(row.propertyId)) {
          throw new AppError(
            'conflict',
            `${row.internalName} links records of ${internalName} to users. Change that with set_entity_identity_bridge first.`,
          )
        }
        const analysed = await findAnalysisInto(tx, tenantId, entityId, row.entityPropertyId)
        if (analysed !== undefined) {
          throw new AppError(
            'conflict',
            `The analysis of ${analysed} writes its results to ${row.internalName}. Change that with set_attachment_analysis first.`,
          )
        }
        const isHeld = await holdsValue(tx, tenantId, entityId, row.columnId)
        if (isHeld && row.keyPart !== null)
          throw new AppError('conflict', `${row.internalName} is a part of the key of records that exist.`)
        if (isHeld && input.discardsValues !== true) {
          throw new AppError(
            'conflict',
            `Records of ${internalName} hold values of ${row.internalName}. Clear them, or repeat with discardsValues: true.`,
          )
        }
        await refuseUsed(context, { entityId, propertyId: row.propertyId }, `${internalName}.${row.internalName}`, input.force)
        await deleteEntityPropertyRow(tx, tenantId, row)
        context.audit({ entityId, property: row.internalName, discardedValues: isHeld })
        return { entityPropertyId: row.entityPropertyId, deleted: true as const }
      },
    )
  },
})

/** describe_entity shows child entities among the properties, so that their ids come here too. */
async function refuseChild({ tx, tenantId }: TxContext, entityId: number, entityPropertyId: number | null): Promise<void> {
  const relations = await listRelations(tx, tenantId, entityId)
  const child = relations.find((one) => one.kind === 'child' && one.entityId === entityId && one.entityRelationId === entityPropertyId)
  if (!child) return
  const [entity] = await listEntityRows(tx, tenantId, [child.otherEntityId])
  const message = `${entityPropertyId} is the child entity ${entity?.internalName ?? ''}. Take it off with detach_child_entity.`
  refuseErrors([finding('$.entityPropertyId', message)], 'The property', 'detached')
}
