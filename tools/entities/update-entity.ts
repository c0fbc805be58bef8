import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'
import { afterChange, findReferenceProblems, loadReferences, nameTaken, readDisplays } from '#tools/properties/service.ts'

import { entity, exampleEntity } from './entities.schema.ts'
import { findEntity, updateEntityRow, upsertEntityDisplays } from './entities.store.ts'
import { mustFindEntity } from './service.ts'
import { listEntities } from './shown.ts'

export const updateEntity = defineOperation({
  ...writes(entity),
  isIdempotent: true,
  name: 'update_entity',
  title: 'Change an entity',
  description:
    'Changes the internalName, category, vertical or displays of an entity; what is not named stays, displays in other languages stay too. A new internalName touches no record, but whoever used the old one must use the new one. Properties are changed by attach_property, update_entity_property and detach_property.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    internalName: newName('entity').optional(),
    displays: displayInputs.optional(),
    categoryId: definitionId.nullable().optional(),
    verticalId: definitionId.nullable().optional(),
  }),
  examples: [{ title: 'Another category', input: { entity: 'WorkOrder', categoryId: 1 }, output: { ...exampleEntity, categoryId: 1 } }],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    const { entity: slot, displays = [], ...changes } = input
    const { entityId } = await mustFindEntity(context, slot)
    const references = await loadReferences(tx, tenantId)
    const read = readDisplays(displays, references, '$.displays')
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const after = afterChange(await mustFindEntity(context, entityId), changes)
        const taken = changes.internalName === undefined ? undefined : await findEntity(tx, tenantId, changes.internalName)
        refuseErrors(
          [
            ...read.findings,
            ...findReferenceProblems(after, references, '$'),
            ...(taken && taken.entityId !== entityId ? [nameTaken('$', 'entity', taken.internalName)] : []),
          ],
          'The entity',
        )
        await updateEntityRow(tx, tenantId, stamp, after)
        const written = read.displays.map((display, index) => ({
          ...display,
          entityId,
          description: displays[index]?.description ?? null,
          isTranslationLocked: displays[index]?.isTranslationLocked ?? null,
        }))
        await upsertEntityDisplays(tx, tenantId, written)
        context.audit({ entityId, changed: [...Object.keys(changes), ...(displays.length > 0 ? ['displays'] : [])] })
        const [row] = await listEntities(tx, tenantId, await findDisplayLanguages(context), [entityId])
        return mustExist(row, 'entity')
      },
    )
  },
})
