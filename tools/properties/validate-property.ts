import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'
import { preparePatterns } from '#platform/patterns.ts'

import { nameTaken, patternsOf, readProperty } from './properties.rules.ts'
import { examplePriorityInput, propertyDefinition } from './properties.schema.ts'
import { findProperty, loadReferences } from './properties.store.ts'

export const validateProperty = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_property',
  title: 'Check a property definition',
  description:
    'Holds the body of create_property against every rule and writes nothing. Answers all findings at once, each with its JSON path and, where there is one, the nearest right name; an error would refuse the save, a warning would not. Then call create_property with the same body.',
  method: 'POST',
  path: '/api/v1/properties/validate',
  roles: 'BuilderAdmin',
  input: draftOf(propertyDefinition, 'create_property'),
  examples: [
    { title: 'A sound definition', input: examplePriorityInput, output: { ok: true, valid: true, issues: [] } },
    {
      title: 'A misspelled type',
      input: { internalName: 'Amount', dataType: 'Curency' },
      isMistaken: true,
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.dataType',
            severity: 'error',
            message:
              '"Curency" is not allowed. Allowed: Number, DateTime, DateOnly, TimeOnly, Text, Choice, Attachment, Signature, Boolean, Currency, Hierarchy, Binary, Date.',
            suggestion: 'Currency',
          },
        ],
      },
    },
  ],
  async handler({ tx, tenantId }, input) {
    return validateDraft(propertyDefinition, input, async (definition) => {
      await preparePatterns(patternsOf(definition))
      const { findings } = readProperty(definition, await loadReferences(tx, tenantId), '$')
      const taken = await findProperty(tx, tenantId, definition.internalName)
      return taken ? [...findings, nameTaken('$', 'property', definition.internalName)] : findings
    })
  },
})
