import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { flatOf, isObject, iterationsOf, listIn } from '#tools/workflows/service.ts'

import type { Perform, StepContext } from './step.types.ts'

const mostItems = 10_000
const pageSize = 1_000

/** Reads as many as the loop may go over. */
async function readAll({ services, who, signal }: StepContext, operation: string, input: object, limit: number): Promise<unknown[]> {
  const records: unknown[] = []
  let cursor: unknown
  do {
    const page = {
      ...input,
      withDataJson: false,
      pageSize: Math.min(pageSize, limit - records.length),
      ...(cursor === undefined ? {} : { cursor }),
    }
    const answer = await runAs(services, who, operation, page, { signal })
    if (!isObject(answer)) break
    records.push(...listIn(answer['items']).map(flatOf))
    cursor = answer['nextCursor']
  } while (typeof cursor === 'string' && records.length < limit)
  return records
}

async function itemsOf(step: StepContext): Promise<readonly unknown[]> {
  const { config, open, services, who, signal } = step
  const { over, limit: said } = config
  const limit = Math.min(typeof said === 'number' ? said : mostItems, mostItems)
  if (Array.isArray(over)) return over.slice(0, limit)
  if (over === null || over === undefined || over === '') return []
  if (!isObject(over)) throw new AppError('unprocessable', 'What the loop goes over is no list.')
  if (over['report'] !== undefined) {
    const input = {
      report: over['report'],
      pageSize: Math.min(pageSize, limit),
      ...(isObject(over['params']) ? { params: over['params'] } : {}),
    }
    const answer = await runAs(services, who, 'execute_report', input, { signal })
    return isObject(answer) ? listIn(answer['rows']) : []
  }
  if (over['view'] !== undefined) return readAll(step, 'execute_view', { entity: over['entity'], view: over['view'] }, limit)
  if (open.run.eiRecordId === null) throw new AppError('unprocessable', 'This run is about no record whose children it could go over.')
  const filter =
    over['filter'] === undefined ? {} : { groups: [Array.isArray(over['filter']) ? { rules: over['filter'] } : over['filter']] }
  const rules = [{ property: 'parentEIRecordId', op: 'eq', value: open.run.eiRecordId }]
  return readAll(step, 'list_instances', { entity: over['children'], filterRules: { logic: 'AND', rules, ...filter } }, limit)
}

export const forEach: Perform = async (step) => {
  const { phase, joined, services, open } = step
  if (phase !== 'join') return { kind: 'items', items: await itemsOf(step) }
  const failed = joined?.failed ?? 0
  const result = { items: await iterationsOf(services, open, joined?.begun ?? 0), failed }
  return joined?.isFailed ? { kind: 'failed', code: 'unprocessable', message: 'An iteration failed.', result } : { kind: 'done', result }
}
