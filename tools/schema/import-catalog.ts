import { changeDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { refuseErrors } from '#platform/validation.ts'
import { preparePatterns } from '#platform/patterns.ts'
import { inTurns } from '#platform/turns.ts'
import { patternsOf } from '#tools/properties/service.ts'

import { createCategories, entitiesToLock, findOrphanProblems, loadPresent, missingCategories, writePlan } from './catalog-document.ts'
import { planImport } from './catalog.rules.ts'
import { catalogImport, exampleDocument, exampleResult, importResult } from './catalog.schema.ts'
import { insertPublisher } from './schema.store.ts'

export const importCatalog = defineOperation({
  ...writes(importResult),
  errors: ['already_exists', 'unknown_property', 'unknown_entity', 'unprocessable'],
  name: 'import_catalog',
  title: 'Import a catalog',
  description:
    'Makes properties with their options and displays, entities with their properties, children and peers, in one call: everything or nothing, with all mistakes in one list of issues. Each definition stands as in create_property and create_entity; names inside the document may be used before they are defined. whenExists: skip makes it safe to repeat. validate_catalog checks without writing, export_catalog writes such a document. Afterwards call get_dictionary.',
  method: 'POST',
  path: '/api/v1/catalog/import',
  roles: 'BuilderAdmin',
  input: catalogImport,
  examples: [{ title: 'Work orders with their logs', input: exampleDocument, output: exampleResult }],
  async handler(context, input) {
    const { whenExists = 'refuse', scope = 'tenant', ...document } = input
    if (scope === 'global' && (context.actor.roleFlag & roleBits.GlobalAdmin) === 0) {
      throw new AppError(
        'forbidden',
        'Only a global administrator publishes definitions to every tenant. Leave scope out to import for this tenant.',
      )
    }
    await preparePatterns((document.properties ?? []).flatMap(patternsOf))
    return changeDefinitions(
      context,
      async () => entitiesToLock(document, await loadPresent(context)),
      async () => {
        const before = await loadPresent(context)
        await createCategories(context, missingCategories(document, before.references))
        const plan = await inTurns(planImport(document, await loadPresent(context), { whenExists, scope }))
        const findings = [...plan.findings, ...(await findOrphanProblems(context, plan.relations))]
        refuseErrors(findings, 'The catalog')
        const result = await writePlan(context, plan, scope)
        if (scope === 'global') await insertPublisher(context.tx, context.tenantId)
        context.audit({ scope, created: result.created, skipped: result.skipped })
        return result
      },
    )
  },
})
