import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { displayInput, languageFields } from '#tools/properties/properties.schema.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'

import { entity, exampleEntity } from './entities.schema.ts'
import { upsertEntityDisplays } from './entities.store.ts'
import { mustFindEntity } from './service.ts'
import { listEntities } from './shown.ts'

const { name, description } = displayInput.shape

export const setEntityDisplay = defineOperation({
  ...writes(entity),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_entity_display',
  title: 'Name an entity in one language',
  description:
    'Sets the name and description of an entity in one language, the default unless told; what is not named stays. list_languages shows them.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/displays',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName, ...languageFields, name, description }),
  examples: [
    {
      title: 'In Spanish',
      input: { entity: 'WorkOrder', languageCode: 'es-ES', name: 'Orden de trabajo' },
      output: {
        ...exampleEntity,
        displays: [...exampleEntity.displays, { languageRegionId: 3, name: 'Orden de trabajo', description: '' }],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entity: slot, ...given } = input
    const read = readDisplays([given], await loadReferences(tx, tenantId), '$.display')
    refuseErrors(
      read.findings.map((one) => ({ ...one, path: one.path.replace('$.display[0]', '$') })),
      'The display',
    )
    return changeOtherDefinitions(context, async () => {
      const { entityId } = await mustFindEntity(context, slot)
      const displays = read.displays.map((display) => ({
        ...display,
        entityId,
        description: given.description ?? null,
        isTranslationLocked: null,
      }))
      await upsertEntityDisplays(tx, tenantId, displays)
      const [row] = await listEntities(tx, tenantId, await findDisplayLanguages(context), [entityId])
      return mustExist(row, 'entity')
    })
  },
})
