import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'

import { readLanguage } from './displays.rules.ts'
import { languageFields, propertyId, propertyLanguage } from './properties.schema.ts'
import { listPropertyDisplays, loadReferences, setTranslationLock } from './properties.store.ts'
import { mustFindProperty } from './service.ts'

export const lockPropertyTranslation = defineOperation({
  ...writes(z.object({ propertyId, ...propertyLanguage.shape })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'lock_property_translation',
  title: 'Lock or unlock a display of a property',
  description:
    'Marks the display of a property in one language as final, so that machine translation leaves it alone, or takes the mark off. set_property_display makes it, and still changes it.',
  method: 'POST',
  path: '/api/v1/properties/{property}/translation-lock',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, ...languageFields, isLocked: z.boolean() }),
  examples: [
    {
      title: 'Lock the Spanish name',
      input: { property: 'Priority', languageCode: 'es-ES', isLocked: true },
      output: {
        propertyId: 10_041,
        languageRegionId: 3,
        languageDisplayName: 'Spanish (Spain)',
        name: 'Prioridad',
        description: '',
        regEx: null,
        isTranslationLocked: true,
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const language = readLanguage(input, await loadReferences(tx, tenantId), '$')
    if (typeof language !== 'number') refuseErrors([language], 'The lock')
    return changeOtherDefinitions(context, async () => {
      const { propertyId } = await mustFindProperty(context, input.property)
      // refuseErrors has thrown for anything but an id.
      const isDone = await setTranslationLock(tx, tenantId, propertyId, language as number, input.isLocked)
      if (!isDone)
        refuseErrors(
          [
            finding(
              input.languageRegionId === undefined ? '$.languageCode' : '$.languageRegionId',
              'The property has no display in this language. Make it with set_property_display.',
            ),
          ],
          'The lock',
        )
      const displays = await listPropertyDisplays(tx, tenantId, [propertyId])
      const display = displays.find((one) => one.languageRegionId === language)
      const { languageCode: _languageCode, ...shown } = mustExist(display, 'display')
      return shown
    })
  },
})
