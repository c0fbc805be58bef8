import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, finding, validateDraft, validation } from '#platform/validation.ts'
import { isNameTaken } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { reportInput } from './reports.schema.ts'
import { checkDraft } from './shown.ts'

/** What a report is may be tried out before it has a name. */
const draft = reportInput.partial({ internalName: true })

export const validateReport = defineOperation({
  ...reads(validation),
  name: 'validate_report',
  title: 'Check a report',
  description:
    'Holds the body of create_report against the entities and writes nothing: all findings with path and nearest right name; warns of sums that a join multiplies.',
  method: 'POST',
  path: '/api/v1/reports/validate',
  roles: 'DataView',
  input: draftOf(draft, 'create_report'),
  examples: [
    {
      title: 'A misspelled property',
      input: { definitionJson: { primaryEntityId: 'WorkOrder', columns: [{ property: 'Titel' }] } },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.definitionJson.columns[0].property',
            severity: 'error',
            message: 'WorkOrder has no property "Titel". describe_entity lists them.',
            suggestion: 'Title',
          },
        ],
      },
    },
  ],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    return validateDraft(draft, input, async ({ internalName, definitionJson }) => {
      // What is not sound of the shape is left out here.
      const { findings } = definitionJson === undefined ? { findings: [] } : await checkDraft(catalog, definitionJson)
      if (internalName === undefined || !(await isNameTaken(context, 'report', internalName))) return findings
      const message = 'A report has this name already: create_report would be refused, update_report changes it.'
      return [...findings, finding('$.internalName', message, { severity: 'warning' })]
    })
  },
})
