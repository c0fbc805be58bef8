import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, type Operation, reads } from '#platform/operation.ts'
import { languageCode } from '#tools/properties/properties.schema.ts'

import type { AccessFloor } from './access.types.ts'
import { cachedCatalog } from './catalog.ts'
import { describeComposition } from './described.ts'
import { entityDetail, exampleChild, exampleEntity, exampleEntityProperty } from './entities.schema.ts'
import { mustBeEntity, mustFindEntity } from './service.ts'
import { listEntities } from './shown.ts'

export const describeEntity = (floor: AccessFloor): Operation =>
  defineOperation({
    ...reads(entityDetail),
    name: 'describe_entity',
    title: 'Describe an entity',
    description:
      'One entity with its properties and child entities, in their order: names, types, rules, options (up to 200 each), what is required, a list, part of the key. Call it before saving records, so that the names and values in data are right; list_property_options shows longer lists of options. access tells your own rights.',
    method: 'POST',
    path: '/api/v1/entities/{entity}',
    roles: 'any',
    input: z.object({ entity: idOrName, languageCode: languageCode.optional() }),
    examples: [
      {
        title: 'By name',
        input: { entity: 'WorkOrder' },
        output: {
          entity: {
            entityId: exampleEntity.entityId,
            internalName: 'WorkOrder',
            name: 'Work order',
            description: '',
            categoryId: 7,
            verticalId: 2,
            globalSourceId: null,
            isTenantUserRole: false,
            identityEmailPropertyId: null,
            identityPhonePropertyId: null,
          },
          properties: [
            { ...exampleEntityProperty, dataType: 'Choice', options: [{ internalName: 'high', name: 'High' }] },
            { ...exampleChild, dataType: null },
          ],
          access: { read: true, create: true, edit: true, delete: false, isPartial: false, hidden: [], readOnly: [] },
        },
      },
    ],
    async handler(context, input) {
      const { tx, tenantId } = context
      const languages = await findDisplayLanguages(context, input.languageCode)
      const row = await mustFindEntity(context, input.entity)
      const [shown] = await listEntities(tx, tenantId, languages, [row.entityId])
      const { name, description } = mustExist(shown, 'entity')
      const properties = await describeComposition(context, row.entityId, languages)
      const catalog = await cachedCatalog(context)
      const access = await floor.ownAccessOf(context, catalog, mustBeEntity(catalog, row.entityId))
      return { entity: { ...row, name, description }, properties, access }
    },
  })
