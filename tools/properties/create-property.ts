import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { preparePatterns } from '#platform/patterns.ts'

import { nameTaken, patternsOf, readProperty } from './properties.rules.ts'
import { examplePriority, examplePriorityInput, property, propertyDefinition } from './properties.schema.ts'
import { findProperty, loadReferences } from './properties.store.ts'
import { insertProperties } from './service.ts'
import { listProperties } from './shown.ts'

export const createProperty = defineOperation({
  ...writes(property),
  errors: ['already_exists'],
  name: 'create_property',
  title: 'Create a property',
  description:
    'Makes a typed field with its rules, options and displays, to be attached to entities. dataType never changes afterwards. Call list_properties first to see whether it exists, and validate_property for a check without saving; then attach_property, or name it in create_entity. Several at once: import_catalog.',
  method: 'POST',
  path: '/api/v1/properties',
  roles: 'BuilderAdmin',
  input: propertyDefinition,
  examples: [
    { title: 'A choice with three options', input: examplePriorityInput, output: examplePriority },
    {
      title: 'A serial number of a fixed shape',
      input: {
        internalName: 'SerialNumber',
        dataType: 'Text',
        regEx: '^[A-Z0-9-]+$',
        minValueOrLength: 4,
        maxValueOrLength: 12,
        displays: [{ languageCode: 'en-US', name: 'Serial number' }],
      },
      output: {
        ...examplePriority,
        propertyId: 10_052,
        dataTypeId: 5,
        internalName: 'SerialNumber',
        name: 'Serial number',
        description: '',
        categoryId: null,
        displays: [{ languageRegionId: 1, languageDisplayName: 'English (United States)', name: 'Serial number', description: '' }],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    await preparePatterns(patternsOf(input))
    const read = readProperty(input, await loadReferences(tx, tenantId), '$')
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const taken = await findProperty(tx, tenantId, input.internalName)
        refuseErrors([...read.findings, ...(taken ? [nameTaken('$', 'property', input.internalName)] : [])], 'The property')
        // Without an error among the findings there is a property.
        const ids = await insertProperties(context, read.property ? [read.property] : [])
        const propertyIds = [...ids.values()]
        context.audit({ propertyIds, internalName: input.internalName })
        const [row] = await listProperties(tx, tenantId, await findDisplayLanguages(context), propertyIds)
        return mustExist(row, 'property')
      },
    )
  },
})
