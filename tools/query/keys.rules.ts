/** Keys of records: three parts of text, compared as bytes. */
import { type Finding, finding } from '#platform/findings.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import { isLongerThan, type Scalar, type Value } from '#tools/properties/service.ts'

export const keySeparator = ' / '
const maxPartLength = 200

export type Keys = readonly [string, string, string]

/**
 * What is wrong with these key parts; empty when nothing is. `sources` names the properties that parts follow from; `isPartly` says that something is
 * wrong with the values already, so that a part which follows from one may be missing for that.
 */
export function findKeyIssues(keys: Keys, path: string, sources: readonly (string | undefined)[] = [], isPartly = false): Finding[] {
  const issues: Finding[] = []
  keys.forEach((part, index) => {
    if (part === '') return
    const at = `${path}.key${index + 1}`
    if (isLongerThan(part, maxPartLength)) issues.push(finding(at, `A key part has at most ${maxPartLength} characters.`))
    if (part.includes(keySeparator)) issues.push(finding(at, `A key part must not hold "${keySeparator}", which joins the parts.`))
    if (part.includes('\u0000') || !part.isWellFormed()) issues.push(finding(at, 'A key part holds a NUL or half of a surrogate pair.'))
    const source = sources[index - 1]
    if (index === 0 || keys[index - 1] !== '' || (source !== undefined && isPartly)) return
    const remedy = source === undefined ? '.' : `, which follows from ${source}: send ${source} in data.`
    issues.push(finding(at, `key${index + 1} needs key${index} before it${remedy}`))
  })
  if (issues.length === 0 && !readsBack(keys))
    issues.push(
      finding(
        `${path}.key1`,
        `The parts joined with "${keySeparator}" would read as other parts. Let none end with " /" or begin with "/ " beside another.`,
      ),
    )
  return issues
}

/** Whether the external key of these parts means them and no others. */
function readsBack(keys: Keys): boolean {
  if (!keys.some((part) => part.includes('/'))) return true
  const read = splitExternalKey(externalKeyOf(keys))
  return read !== undefined && read.every((part, index) => part === keys[index])
}

/** The parts joined, as `externalKey` shows them. */
export function externalKeyOf(keys: Keys): string {
  return keys.filter((part) => part !== '').join(keySeparator)
}

/** The parts of an external key: at most three. Undefined for more. */
export function splitExternalKey(externalKey: string): Keys | undefined {
  const parts = externalKey.split(keySeparator)
  return parts.length > 3 ? undefined : [parts[0] ?? '', parts[1] ?? '', parts[2] ?? '']
}

/** The text that a property's value gives as a key part: option names, shortest decimals, times as they are shown. */
export function keyTextOf(property: CatalogProperty, value: Value): string {
  if (value === null) return ''
  const one = (scalar: Scalar): string =>
    property.dataType === 'Choice' || property.dataType === 'Hierarchy'
      ? (property.options.find((option) => option.optionId === scalar)?.internalName ?? '')
      : String(scalar)
  return typeof value === 'object' ? value.map(one).join(',') : one(value)
}
