/** Records that a run keeps bear the names of the moment; its definition goes by those of today. */
import type { Renames } from '#tools/definitions/service.ts'

import { isObject } from './steps.rules.ts'

/** A flat record that answers to today's names too. What is no record stays as it is. */
export function underTodaysNames(record: unknown, renames: Renames | undefined): unknown {
  if (!renames || !isObject(record)) return record
  const named: Record<string, unknown> = { ...record }
  for (const [before, today] of renames.properties)
    if (Object.hasOwn(record, before) && !Object.hasOwn(record, today)) named[today] = record[before]
  for (const [property, options] of renames.options) {
    const value = named[property]
    const todays = (one: unknown) => (typeof one === 'string' ? (options.get(one) ?? one) : one)
    if (value !== undefined) named[property] = Array.isArray(value) ? value.map(todays) : todays(value)
  }
  return named
}

function withFields(holder: unknown, fields: readonly string[], named: (value: unknown) => unknown): unknown {
  if (!isObject(holder)) return holder
  const changed = fields.flatMap((field): [string, unknown][] => (isObject(holder[field]) ? [[field, named(holder[field])]] : []))
  return { ...holder, ...Object.fromEntries(changed) }
}

/** What a trigger told of a change of a record. */
export function changeUnderTodaysNames(change: unknown, renames: Renames | undefined): unknown {
  return renames ? withFields(change, ['before', 'after'], (record) => underTodaysNames(record, renames)) : change
}

/** What a step brought: a record that it read, or what it waited for. */
export function resultUnderTodaysNames(result: unknown, renames: Renames | undefined): unknown {
  if (!renames) return result
  const read = withFields(result, ['record'], (record) => underTodaysNames(record, renames))
  return withFields(read, ['payload'], (payload) => changeUnderTodaysNames(payload, renames))
}
