import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { findChildUse } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { refuseOrphans, relationsWith } from './cardinality.ts'
import { listRelations } from './composition.store.ts'
import { cardinalityFields, entityProperty, exampleChild } from './entities.schema.ts'
import { circlesThrough, findEndless, findRelationProblems } from './relations.rules.ts'
import { entityInBody, insertRelations, mustFindEntity } from './service.ts'
import { listComposition } from './shown.ts'

/** Moves that began without this circle looked for no cycle along it, so every entity of it waits for them. */
async function circlesClosed({ tx, tenantId }: TxContext, parentId: number, childId: number): Promise<Set<number>> {
  const children = (await listRelations(tx, tenantId)).filter((relation) => relation.kind === 'child')
  const edges = children.map((relation) => ({ parentId: relation.entityId, childId: relation.otherEntityId }))
  return circlesThrough(parentId, [...edges, { parentId, childId }])
}

export const attachChildEntity = defineOperation({
  ...writes(entityProperty),
  errors: ['not_found', 'already_exists', 'unknown_entity'],
  name: 'attach_child_entity',
  title: 'Attach a child entity',
  description:
    'Lets records of one entity stand under records of another. isRequired: a child record needs a parent (when it may stand under several entities, only if all of them require it); isList, true unless told: a parent may have several of these children. An entity may be its own child, as a tree. A save then names the parent by parentKey1..3 or parentEIRecordId.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/children',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName.describe('The parent'), childEntity: idOrName, ...cardinalityFields }),
  examples: [
    {
      title: 'Work logs under work orders',
      input: { entity: 'WorkOrder', childEntity: 'WorkLog', isRequired: true },
      output: exampleChild,
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const parent = await mustFindEntity(context, input.entity)
    const child = await entityInBody(context, input.childEntity, 'childEntity')
    return changeDefinitions(
      context,
      async () => [parent.entityId, child.entityId, ...(await circlesClosed(context, parent.entityId, child.entityId))],
      async () => {
        const { isRequired = false, isList = true } = input
        refuseErrors(findRelationProblems({ kind: 'child', entity: parent, other: child, isRequired }, '$.isRequired'), 'The relationship')
        const present = await listRelations(tx, tenantId, parent.entityId)
        const isThere = present.some(
          (relation) => relation.kind === 'child' && relation.entityId === parent.entityId && relation.otherEntityId === child.entityId,
        )
        if (isThere) throw new AppError('already_exists', `${child.internalName} is a child of ${parent.internalName} already.`)
        const wish = { kind: 'child' as const, entityId: parent.entityId, otherEntityId: child.entityId, isRequired, isList }
        if (isRequired) refuseErrors(findEndless(await relationsWith(context, wish), child.entityId, '$.isRequired'), 'The relationship')
        if (isRequired) await refuseOrphans(context, wish, await findChildUse(tx, tenantId, parent.entityId, child.entityId))
        const [row] = await insertRelations(context, [wish])
        context.audit({ entityId: parent.entityId, childEntityId: child.entityId })
        const composition = await listComposition(tx, tenantId, parent.entityId, await findDisplayLanguages(context))
        return mustExist(
          composition.find((one) => one.entityPropertyId === row?.entityRelationId),
          'entity property',
        )
      },
    )
  },
})
