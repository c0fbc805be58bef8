import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { shownIn } from './displays.rules.ts'
import { dataTypeOf, languageCode, propertyDetail } from './properties.schema.ts'
import { listPropertyDisplays } from './properties.store.ts'
import { listOptionRows } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'

export const describeProperty = defineOperation({
  ...reads(propertyDetail),
  name: 'describe_property',
  title: 'Describe a property',
  description:
    'One property with its rules (limits, pattern, file types, sensitivity, identity flags) and its displays in each language. The options of a Choice or Hierarchy are shown by list_property_options, the entities that have it by get_property_usage.',
  method: 'POST',
  path: '/api/v1/properties/{property}',
  roles: 'any',
  input: z.object({ property: idOrName, languageCode: languageCode.optional() }),
  examples: [
    {
      title: 'By name',
      input: { property: 'SerialNumber' },
      output: {
        property: {
          propertyId: 10_052,
          dataTypeId: 5,
          dataType: 'Text',
          internalName: 'SerialNumber',
          name: 'Serial number',
          description: 'As on the plate',
          maxDecimalPlaces: null,
          maxValueOrLength: 12,
          minValueOrLength: 4,
          regEx: '^[A-Z0-9-]+$',
          allowedFileTypes: [],
          isSensitive: false,
          isIdentityEmail: false,
          isIdentityPhone: false,
          isTenantUserRole: false,
          storageShortcutId: null,
          globalSourceId: null,
          verticalId: null,
          categoryId: 1,
          optionCount: 0,
        },
        languages: [
          {
            languageRegionId: 1,
            languageDisplayName: 'English (United States)',
            name: 'Serial number',
            description: 'As on the plate',
            regEx: null,
            isTranslationLocked: false,
          },
        ],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const shown = await findDisplayLanguages(context, input.languageCode)
    const { scope: _scope, ...row } = await mustFindProperty(context, input.property)
    const displays = await listPropertyDisplays(tx, tenantId, [row.propertyId])
    const options = await listOptionRows(tx, tenantId, row.propertyId)
    return {
      property: {
        ...row,
        dataType: dataTypeOf(row.dataTypeId),
        ...shownIn(displays, shown, row.internalName),
        allowedFileTypes: [...row.allowedFileTypes],
        optionCount: options.length,
      },
      languages: displays.map(({ propertyId: _propertyId, languageCode: _languageCode, ...language }) => language),
    }
  },
})
