import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'
import { listKnownProperties, loadReferences, nameTaken } from '#tools/properties/service.ts'

import { readEntity } from './entities.rules.ts'
import { entityDefinition, exampleEntityInput } from './entities.schema.ts'
import { findEntity } from './entities.store.ts'

export const validateEntity = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_entity',
  title: 'Check an entity definition',
  description:
    'Holds the body of create_entity against every rule and against the properties that exist, and writes nothing. Answers all findings at once, each with its JSON path and, where there is one, the nearest right name. Then call create_entity with the same body.',
  method: 'POST',
  path: '/api/v1/entities/validate',
  roles: 'BuilderAdmin',
  input: draftOf(entityDefinition, 'create_entity'),
  examples: [
    { title: 'A sound definition', input: exampleEntityInput, output: { ok: true, valid: true, issues: [] } },
    {
      title: 'A misspelled property',
      input: { internalName: 'WorkOrder', properties: [{ property: 'Priorty' }] },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.properties[0].property',
            severity: 'error',
            message: 'There is no property "Priorty". list_properties shows them.',
            suggestion: 'Priority',
          },
        ],
      },
    },
  ],
  async handler({ tx, tenantId }, input) {
    return validateDraft(entityDefinition, input, async (definition) => {
      const known = (await listKnownProperties(tx, tenantId)).map((property) => ({ ...property, optionFilters: [] }))
      const { findings } = readEntity(definition, await loadReferences(tx, tenantId), known, '$')
      const taken = await findEntity(tx, tenantId, definition.internalName)
      return taken ? [...findings, nameTaken('$', 'entity', definition.internalName)] : findings
    })
  },
})
