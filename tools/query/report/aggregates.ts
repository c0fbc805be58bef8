/** Aggregates of the records of one entity. */
import { type RawJson, rawJson } from '#platform/answer.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes, pageSizeMax } from '#platform/paging.ts'

import type { ReadFrame } from '../frame.ts'
import type { ReportSaid } from './read-report.rules.ts'
import { pageOfReport, prepareReport } from './reports.ts'

type AggregatesSaid = Pick<ReportSaid, 'filterRules' | 'groupBy' | 'aggregates' | 'having' | 'sort'> & {
  readonly page?: number | undefined
  readonly pageSize?: number | undefined
}

/** Groups of an entity's records with their aggregates, as JSON text. Throws 400 with every finding. */
export async function aggregateRecords(context: TxContext, frame: ReadFrame, input: AggregatesSaid): Promise<RawJson> {
  const { page = 1, pageSize = pageSizeMax, ...said } = input
  const asked = { path: '$', what: 'The query', known: [frame] }
  const ready = await prepareReport(context, frame.catalog, { ...said, primaryEntityId: frame.entity.entityId }, asked)
  const { items, total } = await pageOfReport(context, ready, { page, pageSize }, context.answerBytes - envelopeBytes)
  return rawJson(`{"rows":[${items}],"totalCount":${total}}`)
}
