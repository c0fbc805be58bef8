/** How a report would be read: what PostgreSQL plans for it, in the terms of the catalog. Nothing of it is run. */
import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'

import { type PlannedReport, readPlan } from './plan.rules.ts'
import { explainStatement } from './report.store.ts'
import { type PageOfReport, type ReadyReport, statementOf } from './reports.ts'

export async function explainReady(context: TxContext, ready: ReadyReport, page: PageOfReport, bytes: number): Promise<PlannedReport> {
  const { tx, tenantId } = context
  const plan = await inRecords(tx, tenantId, () => explainStatement(tx, statementOf(ready, page, bytes)))
  return readPlan(plan, ready.readables)
}
