/** How a report would be read: what PostgreSQL plans for it, in the terms of the catalog. Nothing of it is run. */
import type { TxContext } from '#platform/operation.ts'

import { type PlannedReport, readPlan } from './plan.rules.ts'
import { explainStatement } from './report.store.ts'
import { asReader, type PageOfReport, type ReadyReport, statementOf } from './reports.ts'

export async function explainReady(context: TxContext, ready: ReadyReport, page: PageOfReport, bytes: number): Promise<PlannedReport> {
  const plan = await asReader(context, ready.readables, () => explainStatement(context.tx, statementOf(ready, page, bytes)))
  return readPlan(plan, ready.readables)
}
