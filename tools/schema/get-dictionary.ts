import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { exampleEntity } from '#tools/entities/entities.schema.ts'
import { listAttached, listEntities, listRelations } from '#tools/entities/service.ts'
import { dataTypeOf, examplePriority, languageCode } from '#tools/properties/properties.schema.ts'
import { listOptionRows, listProperties } from '#tools/properties/service.ts'

import { dictionary } from './schema.schema.ts'

export const getDictionary = defineOperation({
  ...reads(dictionary),
  errors: [],
  name: 'get_dictionary',
  title: 'The names of this tenant',
  description:
    'Every entity with its properties, children and peers, and every property with its type and options, in one call: the names that all other operations take. Call it once before working with records. get_schema tells what a type or an operator means.',
  method: 'POST',
  path: '/api/v1/schema/dictionary',
  roles: 'any',
  input: z.object({ languageCode: languageCode.optional().describe('Language of name and description; your own unless told') }),
  examples: [
    {
      title: 'One entity with one property',
      input: {},
      output: {
        entities: [
          {
            ...exampleEntity,
            propertyCount: 1,
            properties: [
              { entityPropertyId: 10_064, propertyId: 10_041, internalName: 'Priority', isRequired: false, isList: false, keyPart: null },
            ],
            children: ['WorkLog'],
            peers: [],
          },
        ],
        properties: [{ ...examplePriority, dataType: 'Choice', options: ['Low', 'Normal', 'Urgent'] }],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const languages = await findDisplayLanguages(context, input.languageCode)
    const [entities, attached, relations, properties, options] = await Promise.all([
      listEntities(tx, tenantId, languages),
      listAttached(tx, tenantId),
      listRelations(tx, tenantId),
      listProperties(tx, tenantId, languages),
      listOptionRows(tx, tenantId),
    ])
    const names = new Map(entities.map((entity) => [entity.entityId, entity.internalName]))
    const children = Map.groupBy(
      relations.filter((one) => one.kind === 'child'),
      (one) => one.entityId,
    )
    const peers = relations.filter((one) => one.kind === 'peer')
    const [peersFrom, peersTo] = [Map.groupBy(peers, (one) => one.entityId), Map.groupBy(peers, (one) => one.otherEntityId)]
    const named = (ids: readonly number[]) => [...new Set(ids)].flatMap((id) => names.get(id) ?? [])
    const attachedOf = Map.groupBy(attached, (row) => row.entityId)
    const optionsOf = Map.groupBy(options, (row) => row.propertyId)
    return {
      entities: entities.map((entity) => {
        const { entityId } = entity
        return {
          ...entity,
          properties: (attachedOf.get(entityId) ?? []).map(
            ({ entityPropertyId, propertyId, internalName, isRequired, isList, keyPart }) => ({
              entityPropertyId,
              propertyId,
              internalName,
              isRequired,
              isList,
              keyPart,
            }),
          ),
          children: named((children.get(entityId) ?? []).map((one) => one.otherEntityId)),
          peers: named([
            ...(peersFrom.get(entityId) ?? []).map((one) => one.otherEntityId),
            ...(peersTo.get(entityId) ?? []).map((one) => one.entityId),
          ]),
        }
      }),
      properties: properties.map((property) => ({
        ...property,
        dataType: dataTypeOf(property.dataTypeId),
        options: (optionsOf.get(property.propertyId) ?? []).map((option) => option.internalName),
      })),
    }
  },
})
