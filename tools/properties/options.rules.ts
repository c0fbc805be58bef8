/** What the options of Choice and Hierarchy may be. */
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import { nearest, quoted, withArticle } from '#platform/suggest.ts'
import { finding, type Finding, unknownName } from '#platform/validation.ts'

import { type NewDisplay, readDisplays, type References } from './displays.rules.ts'
import type { DataType, PropertyDefinition } from './properties.schema.ts'

export interface NewOption {
  readonly internalName: string
  /** internalName of the parent, as the parent itself writes it. */
  readonly parent: string | null
  readonly displays: readonly NewDisplay[]
}

/** Reads the options of a new property, in any order of parents and children. */
export function readOptions(
  given: PropertyDefinition['propertyOptions'],
  dataType: DataType,
  references: References,
  path: string,
): { options: NewOption[]; findings: Finding[] } {
  const findings: Finding[] = []
  const takesOptions = dataType === 'Choice' || dataType === 'Hierarchy'
  if (!takesOptions) {
    if (given && given.length > 0)
      findings.push(finding(path, `Only Choice or Hierarchy takes propertyOptions; the property is ${withArticle(dataType)}.`))
    return { options: [], findings }
  }
  if (!given || given.length === 0) {
    findings.push(
      finding(path, `A ${dataType} without options takes no value. Add them here or with save_property_option.`, { severity: 'warning' }),
    )
  }
  const names = new Map((given ?? []).map((option) => [option.internalName.toLowerCase(), option.internalName]))
  const options = (given ?? []).map((option, index): NewOption => {
    const at = `${path}[${index}]`
    const read = readDisplays(option.displays ?? [], references, `${at}.displays`)
    findings.push(...read.findings)
    const parent = option.parent ?? null
    if (parent === null) return { internalName: option.internalName, parent, displays: read.displays }
    const known = names.get(parent.toLowerCase())
    if (dataType === 'Choice')
      findings.push(finding(`${at}.parent`, 'The options of a Choice have no parents. Make the property a Hierarchy.'))
    else if (known === undefined) findings.push(unknownOption(`${at}.parent`, parent, [...names.values()]))
    return { internalName: option.internalName, parent: known ?? null, displays: read.displays }
  })
  const seen = new Set<string>()
  options.forEach((option, index) => {
    const name = option.internalName.toLowerCase()
    if (seen.has(name))
      findings.push(finding(`${path}[${index}].internalName`, `An earlier option is called ${quoted(option.internalName)} too.`))
    seen.add(name)
  })
  const circle = findCircle(
    new Map(options.flatMap((option) => (option.parent === null ? [] : [[option.internalName, option.parent] as const]))),
  )
  if (circle !== undefined) findings.push(finding(path, `${quoted(circle)} is its own ancestor. Let one of them have no parent.`))
  return { options, findings }
}

export function unknownOption(path: string, name: string, known: readonly string[]): Finding {
  return unknownName(path, 'option', name, known, 'list_property_options')
}

/** A node that is its own ancestor, where each node is mapped to its parent; undefined where there is none. */
export function findCircle<K>(parents: ReadonlyMap<K, K>): K | undefined {
  const safe = new Set<K>()
  for (const start of parents.keys()) {
    const way = new Set<K>()
    let at: K | undefined = start
    while (at !== undefined && !safe.has(at)) {
      if (way.has(at)) return at
      way.add(at)
      at = parents.get(at)
    }
    for (const node of way) safe.add(node)
  }
  return undefined
}

interface GivenFilter {
  readonly internalName: string
  readonly options: readonly string[]
}

/** Reads subsets of a new property's options, by their names. */
export function readOptionFilters(
  given: readonly GivenFilter[],
  options: readonly NewOption[],
  path: string,
): { optionFilters: GivenFilter[]; findings: Finding[] } {
  const findings: Finding[] = []
  const names = new Map(options.map((option) => [option.internalName.toLowerCase(), option.internalName]))
  const seen = new Set<string>()
  const optionFilters = given.map((filter, index) => {
    const at = `${path}[${index}]`
    if (seen.has(filter.internalName.toLowerCase()))
      findings.push(finding(`${at}.internalName`, `An earlier option filter is called ${quoted(filter.internalName)} too.`))
    seen.add(filter.internalName.toLowerCase())
    const chosen = filter.options.flatMap((name, place) => {
      const known = names.get(name.toLowerCase())
      if (known !== undefined) return [known]
      const suggestion = nearest(name, names.values())
      findings.push(finding(`${at}.options[${place}]`, `The property has no option ${quoted(name)}.`, { suggestion }))
      return []
    })
    return { internalName: filter.internalName, options: [...new Set(chosen)] }
  })
  return { optionFilters, findings }
}

interface PresentOption {
  readonly optionId: number
  readonly internalName: string
  readonly parentOptionId: number | null
}

interface OptionWish {
  readonly optionId?: number | undefined
  readonly internalName: string
  readonly parent?: IdOrName | null | undefined
}

function optionOf(slot: IdOrName, options: readonly PresentOption[]): PresentOption | undefined {
  const { id, name } = readIdOrName(slot)
  return options.find((option) => (id === null ? option.internalName.toLowerCase() === name.toLowerCase() : option.optionId === id))
}

/** What saving an option comes to: which one it changes, if any, and under which parent it stands then. */
export function planOption(wish: OptionWish, dataType: DataType, options: readonly PresentOption[]) {
  const findings: Finding[] = []
  if (dataType !== 'Choice' && dataType !== 'Hierarchy')
    findings.push(finding('$.property', `Only Choice or Hierarchy has options; the property is ${withArticle(dataType)}.`))
  const named = options.find((option) => option.internalName.toLowerCase() === wish.internalName.toLowerCase())
  const present = wish.optionId === undefined ? named : options.find((option) => option.optionId === wish.optionId)
  if (wish.optionId !== undefined && !present)
    findings.push(finding('$.optionId', `The property has no option ${wish.optionId}. list_property_options shows them.`))
  if (named && present && named.optionId !== present.optionId) {
    findings.push(finding('$.internalName', `The property has another option ${quoted(named.internalName)}.`, { code: 'already_exists' }))
  }
  let parentOptionId = present?.parentOptionId ?? null
  if (wish.parent === null) parentOptionId = null
  else if (wish.parent !== undefined) {
    const parent = optionOf(wish.parent, options)
    if (dataType === 'Choice') findings.push(finding('$.parent', 'The options of a Choice have no parents.'))
    else if (parent) parentOptionId = parent.optionId
    else {
      const names = options.map((option) => option.internalName)
      findings.push(unknownOption('$.parent', String(wish.parent), names))
    }
  }
  if (present && parentOptionId !== null) {
    const parents = new Map(
      options.flatMap((option) => (option.parentOptionId === null ? [] : [[option.optionId, option.parentOptionId] as const])),
    )
    parents.set(present.optionId, parentOptionId)
    if (findCircle(parents) !== undefined) findings.push(finding('$.parent', `${quoted(present.internalName)} would be its own ancestor.`))
  }
  return { present, parentOptionId, findings }
}

interface PresentFilter {
  readonly propertyOptionFilterId: number
  readonly internalName: string
}

/** What saving a subset comes to: which one it changes, if any, and the options that it then holds. */
export function planOptionFilter(
  wish: { readonly propertyOptionFilterId?: number | undefined; readonly internalName: string; readonly options: readonly IdOrName[] },
  options: readonly PresentOption[],
  filters: readonly PresentFilter[],
) {
  const findings: Finding[] = []
  const named = filters.find((filter) => filter.internalName.toLowerCase() === wish.internalName.toLowerCase())
  const present =
    wish.propertyOptionFilterId === undefined
      ? named
      : filters.find((filter) => filter.propertyOptionFilterId === wish.propertyOptionFilterId)
  if (wish.propertyOptionFilterId !== undefined && !present) {
    findings.push(
      finding(
        '$.propertyOptionFilterId',
        `The property has no option filter ${wish.propertyOptionFilterId}. list_property_option_filters shows them.`,
      ),
    )
  }
  if (named && present && named.propertyOptionFilterId !== present.propertyOptionFilterId) {
    findings.push(
      finding('$.internalName', `The property has another option filter ${quoted(named.internalName)}.`, { code: 'already_exists' }),
    )
  }
  const names = options.map((option) => option.internalName)
  const optionIds = wish.options.flatMap((slot, index) => {
    const option = optionOf(slot, options)
    if (option) return [option.optionId]
    findings.push(unknownOption(`$.options[${index}]`, String(slot), names))
    return []
  })
  return { present, optionIds: [...new Set(optionIds)], findings }
}

/** The named ids first, then the others in the order that they have. */
export function planOrder(present: readonly number[], wanted: readonly number[], words: { path: string; noun: string; lister: string }) {
  const findings: Finding[] = []
  const known = new Set(present)
  const seen = new Set<number>()
  wanted.forEach((id, index) => {
    if (!known.has(id)) findings.push(finding(`${words.path}[${index}]`, `There is no ${words.noun} ${id}. ${words.lister} shows them.`))
    else if (seen.has(id)) findings.push(finding(`${words.path}[${index}]`, `${id} is named twice.`))
    seen.add(id)
  })
  return { order: [...seen].filter((id) => known.has(id)).concat(present.filter((id) => !seen.has(id))), findings }
}
