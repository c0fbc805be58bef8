/** Making what a catalog document says, whoever wrote it. */
import { changeDefinitions } from '#platform/db/definitions.ts'
import type { TxContext } from '#platform/operation.ts'
import { preparePatterns } from '#platform/patterns.ts'
import { inTurns } from '#platform/turns.ts'
import { refuseErrors } from '#platform/validation.ts'
import { patternsOf } from '#tools/properties/service.ts'

import { createCategories, entitiesToLock, findOrphanProblems, loadPresent, missingCategories, writePlan } from './catalog-document.ts'
import { type ImportOptions, planImport } from './catalog.rules.ts'
import type { CatalogDocument, ImportResult } from './catalog.schema.ts'
import { insertPublisher } from './schema.store.ts'

/** All of the document or nothing. Throws AppError with all mistakes. */
export async function importDocument(
  context: TxContext,
  document: CatalogDocument,
  { whenExists, scope }: Pick<ImportOptions, 'whenExists' | 'scope'>,
): Promise<ImportResult> {
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
}
