/** What a list shows: filters, order and columns, as they stand in the address, so that a link to a list is that list. */
import { type Group, isEmptyGroup, readFilter, wireGroup, writeFilter } from './filter.rules.ts'

export interface ListState {
  readonly filter: Group
  /** A property, with a minus before it: downwards. */
  readonly sort: string
  /** None: the first ones of the entity. */
  readonly columns: readonly string[]
}

/** An address may come from anywhere, as readFilter has it. */
export function readState(query: string): ListState {
  const parameters = new URLSearchParams(query)
  const sort = parameters.get('sort') ?? ''
  const columns = (parameters.get('columns') ?? '').split(',').filter((name) => /^\w+$/.test(name))
  return { filter: readFilter(parameters), sort: /^-?\w+$/.test(sort) ? sort : '', columns: columns.slice(0, 40) }
}

export function writeState({ filter, sort, columns }: ListState): string {
  const parameters = new URLSearchParams()
  writeFilter(filter, parameters)
  if (sort !== '') parameters.set('sort', sort)
  if (columns.length > 0) parameters.set('columns', columns.join(','))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** The body of list_instances for a state. `types` are of the properties and system fields. */
export function listBody({ filter, sort }: ListState, types: ReadonlyMap<string, string>, pageSize: number) {
  const isDown = sort.startsWith('-')
  return {
    pageSize,
    withDataJson: false,
    ...(isEmptyGroup(filter) ? {} : { filterRules: { ...wireGroup(filter, types) } }),
    ...(sort === ''
      ? {}
      : { sort: [{ property: isDown ? sort.slice(1) : sort, direction: isDown ? ('desc' as const) : ('asc' as const) }] }),
  }
}
