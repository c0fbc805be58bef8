/** What differs between two definitions, in words. */
import { isDeepStrictEqual } from 'node:util'

import type { Said, WorkflowBody } from './definition.types.ts'

const maxChanges = 50

const headNames = ['entity', 'roles', 'variables', 'input', 'maxDurationDays', 'concurrency', 'displays', 'categoryId'] as const

function listed(names: readonly unknown[]): string {
  return names.map(String).join(', ')
}

/** Fields in which two steps or triggers differ; a position is where it stands, not what it is. */
function fieldsOf(before: Said, after: Said): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  names.delete('position')
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

function changesOfList(noun: string, before: readonly Said[], after: readonly Said[], id: string): string[] {
  const nameOf = (one: Said) => String(one['internalName'] ?? one['triggerType'])
  const known = new Map(before.map((one) => [one[id], one]))
  const kept = new Set(after.map((one) => one[id]))
  const added = after.filter((one) => !known.has(one[id])).map((one) => `${noun} ${nameOf(one)} added`)
  const gone = before.filter((one) => !kept.has(one[id])).map((one) => `${noun} ${nameOf(one)} removed`)
  const changed = after.flatMap((one) => {
    const old = known.get(one[id])
    const fields = old ? fieldsOf(old, one) : []
    return fields.length === 0 ? [] : [`${noun} ${nameOf(one)}: ${listed(fields)} changed`]
  })
  const order = (list: readonly Said[], others: ReadonlySet<unknown>) => list.map((one) => one[id]).filter((one) => others.has(one))
  const isMoved = !isDeepStrictEqual(order(before, kept), order(after, new Set(known.keys())))
  return [...added, ...gone, ...changed, ...(isMoved ? [`order of the ${noun}s changed`] : [])]
}

/** At most so many sentences; undefined before: the first version. */
export function changesBetween(before: WorkflowBody | undefined, after: WorkflowBody): string[] {
  if (!before) return [`first version: ${after.steps.length} steps`]
  const heads = headNames.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => `${name} changed`)
  const all = [
    ...heads,
    ...changesOfList('step', before.steps, after.steps, 'stepId'),
    ...changesOfList('trigger', before.triggers, after.triggers, 'triggerId'),
  ]
  if (all.length === 0) return ['nothing changed']
  return all.length <= maxChanges ? all : [...all.slice(0, maxChanges), `and ${all.length - maxChanges} more`]
}
