import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { listKnownProperties, loadReferences, nameTaken } from '#tools/properties/service.ts'

import { readEntity } from './entities.rules.ts'
import { entity, entityDefinition, exampleEntity, exampleEntityInput } from './entities.schema.ts'
import { findEntity } from './entities.store.ts'
import { insertEntities } from './service.ts'
import { listEntities } from './shown.ts'

export const createEntity = defineOperation({
  ...writes(entity),
  errors: ['already_exists', 'unknown_property'],
  name: 'create_entity',
  title: 'Create an entity',
  description:
    'Makes a kind of record out of properties that exist: call list_properties and create_property before, or make everything at once with import_catalog. A keyPart of 1, 2 or 3 lets that part of the record key follow from the property. Afterwards attach_child_entity and attach_peer_entity relate it, save_instance fills it. validate_entity checks without saving.',
  method: 'POST',
  path: '/api/v1/entities',
  roles: 'BuilderAdmin',
  input: entityDefinition,
  examples: [{ title: 'Work orders, by number', input: exampleEntityInput, output: exampleEntity }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const references = await loadReferences(tx, tenantId)
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const known = (await listKnownProperties(tx, tenantId)).map((property) => ({ ...property, optionFilters: [] }))
        const read = readEntity(input, references, known, '$')
        const taken = await findEntity(tx, tenantId, input.internalName)
        refuseErrors([...read.findings, ...(taken ? [nameTaken('$', 'entity', input.internalName)] : [])], 'The entity')
        const ids = await insertEntities(context, [read.entity], {
          idOf: (property) => mustExist(property.propertyId, 'property'),
          filterIdOf: () => null,
        })
        const entityIds = [...ids.values()]
        context.audit({ entityIds, internalName: input.internalName })
        const [row] = await listEntities(tx, tenantId, await findDisplayLanguages(context), entityIds)
        return mustExist(row, 'entity')
      },
    )
  },
})
