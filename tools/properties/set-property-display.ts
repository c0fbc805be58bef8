import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { readDisplays } from './displays.rules.ts'
import { examplePriority, languageFields, property, propertyDisplayInput } from './properties.schema.ts'
import { listPropertyDisplays, loadReferences, upsertPropertyDisplays } from './properties.store.ts'
import { mustFindProperty } from './service.ts'
import { listProperties } from './shown.ts'

const { name, description, regEx } = propertyDisplayInput.shape

export const setPropertyDisplay = defineOperation({
  ...writes(property),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_property_display',
  title: 'Name a property in one language',
  description:
    "Sets the name and description of a property in one language, the tenant's default where none is given. What is not named stays; regEx null clears. lock_property_translation keeps a display from machine translation.",
  method: 'POST',
  path: '/api/v1/properties/{property}/displays',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, ...languageFields, name, description, regEx }),
  examples: [
    {
      title: 'In Spanish',
      input: { property: 'Priority', languageCode: 'es-ES', name: 'Prioridad' },
      output: {
        ...examplePriority,
        displays: [
          ...examplePriority.displays,
          { languageRegionId: 3, languageDisplayName: 'Spanish (Spain)', name: 'Prioridad', description: '' },
        ],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { property: slot, ...given } = input
    const read = readDisplays([given], await loadReferences(tx, tenantId), '$.display')
    refuseErrors(
      read.findings.map((one) => ({ ...one, path: one.path.replace('$.display[0]', '$') })),
      'The display',
    )
    return changeOtherDefinitions(context, async () => {
      const { propertyId } = await mustFindProperty(context, slot)
      const present = await listPropertyDisplays(tx, tenantId, [propertyId])
      const displays = read.displays.map((display) => {
        const old = present.find((language) => language.languageRegionId === display.languageRegionId)
        const kept = {
          description: given.description ?? old?.description ?? '',
          regEx: given.regEx === undefined ? (old?.regEx ?? null) : given.regEx,
        }
        return { ...display, ...kept, propertyId, isTranslationLocked: null }
      })
      await upsertPropertyDisplays(tx, tenantId, displays)
      const [row] = await listProperties(tx, tenantId, await findDisplayLanguages(context), [propertyId])
      return mustExist(row, 'property')
    })
  },
})
