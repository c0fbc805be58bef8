import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { contextDefinition } from './context.schema.ts'
import { checkContext } from './shown.ts'

/** What it is may be tried out before it has a name. */
const draft = contextDefinition.partial({ internalName: true })

export const validateContext = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_context',
  title: 'Check a context',
  description:
    'Holds the body of create_context against the catalog and writes nothing: all findings, each with its path and the nearest right name.',
  method: 'POST',
  path: '/api/v1/context/validate',
  roles: 'BuilderAdmin',
  input: draftOf(draft, 'create_context'),
  examples: [
    {
      title: 'A misspelled relative',
      input: { entity: 'WorkOrder', includes: [{ name: 'visits', via: { child: 'Visits' } }] },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.includes[0].via.child',
            severity: 'error',
            message: 'There is no entity "Visits". list_entities shows them.',
            suggestion: 'Visit',
          },
        ],
      },
    },
  ],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    return validateDraft(draft, input, async (given) => (await checkContext(context, catalog, given)).findings)
  },
})
