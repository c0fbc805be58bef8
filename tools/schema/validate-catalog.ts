import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, finding, validateDraft, validation } from '#platform/validation.ts'
import { roleBits } from '#platform/roles.ts'
import { preparePatterns } from '#platform/patterns.ts'
import { inTurns } from '#platform/turns.ts'
import { patternsOf } from '#tools/properties/service.ts'

import { findOrphanProblems, loadPresent, missingCategories, withCategories } from './catalog-document.ts'
import { planImport } from './catalog.rules.ts'
import { catalogImport, exampleDocument } from './catalog.schema.ts'

export const validateCatalog = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_catalog',
  title: 'Check a catalog document',
  description:
    'Holds the body of import_catalog against every rule and against what the tenant has, and writes nothing. Answers all findings at once, each with its JSON path and, where there is one, the nearest right name. Then call import_catalog with the same body.',
  method: 'POST',
  path: '/api/v1/catalog/validate',
  roles: 'BuilderAdmin',
  input: draftOf(catalogImport, 'import_catalog'),
  examples: [{ title: 'A sound document', input: exampleDocument, output: { ok: true, valid: true, issues: [] } }],
  async handler(context, input) {
    return validateDraft(catalogImport, input, async ({ whenExists = 'refuse', scope = 'tenant', ...document }) => {
      await preparePatterns((document.properties ?? []).flatMap(patternsOf))
      const present = await loadPresent(context)
      const references = withCategories(present.references, missingCategories(document, present.references))
      const plan = await inTurns(planImport(document, { ...present, references }, { whenExists, scope }))
      const findings = [...plan.findings, ...(await findOrphanProblems(context, plan.relations))]
      const isRefused = scope === 'global' && (context.actor.roleFlag & roleBits.GlobalAdmin) === 0
      return isRefused ? [...findings, finding('$.scope', 'Only a global administrator publishes definitions to every tenant.')] : findings
    })
  },
})
