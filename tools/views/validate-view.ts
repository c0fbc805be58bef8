import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, finding, validateDraft, validation } from '#platform/validation.ts'
import { isNameTaken } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { checkDraft } from './shown.ts'
import { entity, viewInput } from './views.schema.ts'

/** What a view is may be tried out before it has a name. */
const draft = viewInput.partial({ internalName: true })

export const validateView = defineOperation({
  ...reads(validation),
  name: 'validate_view',
  title: 'Check a view',
  description:
    'Holds the body of save_view against the entity and writes nothing: all findings, each with its path and the nearest right name.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/validate',
  roles: 'DataView',
  input: draftOf(draft, 'save_view').extend({ entity }),
  examples: [
    {
      title: 'A misspelled column',
      input: { entity: 'WorkOrder', viewJson: { columns: ['Titel'] } },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.viewJson.columns[0]',
            severity: 'error',
            message: 'WorkOrder has no property "Titel". describe_entity lists them.',
            suggestion: 'Title',
          },
        ],
      },
    },
  ],
  async handler(context, { entity: slot, ...input }) {
    const catalog = await cachedCatalog(context)
    const of = entityInPath(catalog, slot)
    return validateDraft(draft, input, async ({ internalName, viewJson }) => {
      // What is not sound of the shape is left out here.
      const { findings } = viewJson === undefined ? { findings: [] } : await checkDraft(catalog, of, viewJson)
      if (internalName === undefined || !(await isNameTaken(context, 'view', internalName))) return findings
      const message = 'A view has this name already: save_view would be refused, update_view changes it.'
      return [...findings, finding('$.internalName', message, { severity: 'warning' })]
    })
  },
})
