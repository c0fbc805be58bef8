/** Elements that a loop goes over once in all runs of its definition. */
import { createHash } from 'node:crypto'

import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'

import { valueAt } from '../definition/definition.types.ts'
import type { OpenStep } from './carrying.ts'
import { takeOnce } from './once.store.ts'
import { listIn } from './steps.rules.ts'

/** A short text for what an element is known by, whatever its fields hold. */
const keyOf = (item: unknown, fields: readonly unknown[]) =>
  createHash('sha256')
    .update(JSON.stringify(fields.map((field) => valueAt(item, String(field)) ?? null)))
    .digest('base64url')

/** Those that no run has gone over; a try after a death finds those that the one before it took. */
export async function onlyOnce(services: Services, open: OpenStep, items: readonly unknown[]): Promise<readonly unknown[]> {
  const { order, run, found, row } = open
  const fields = listIn(open.row.input?.['once'])
  if (fields.length === 0 || items.length === 0) return items
  const keyed = new Map(items.map((item) => [keyOf(item, fields), item]))
  const taken = await inSystemTransaction(services, order.tenantId, ({ tx, stamp }) => {
    const of = { workflowId: run.workflowId, step: found.name, runId: run.runId, stepNo: row.stepNo, at: stamp }
    return takeOnce(tx, order.tenantId, of, [...keyed.keys()])
  })
  return [...keyed].flatMap(([key, item]) => (taken.has(key) ? [item] : []))
}
