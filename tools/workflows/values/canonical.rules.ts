/** Values of a run in the form that comparisons take: as those of records, times in one zone and one precision. */
import { printDay, printInstant, readTime } from '#platform/tokens/zoned.ts'
import type { Scalar, Value } from '#tools/properties/service.ts'

function scalarOf(value: unknown): Scalar | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const time = value.length > 40 ? undefined : readTime(value)
  if (!time || time.kind === 'clock') return value
  return time.kind === 'day' ? printDay(time.ms) : printInstant(time.ms)
}

/** A value of JSON. Of an object there is nothing to compare: that it is there is all that can be asked. */
export function canonicalOf(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    const list = value.flatMap((one) => scalarOf(one) ?? [])
    return list.length > 0 ? list : value.length > 0 ? [''] : null
  }
  return scalarOf(value) ?? 'object'
}

/** What a rule gives, of the type that the value has: `"5"` where it is a number, `5` where it is a text. */
export function likeIts(value: Value, given: readonly Scalar[]): readonly Scalar[] {
  const first = value !== null && typeof value === 'object' ? value[0] : value
  return given.map((one) => {
    if (typeof first === 'number' && typeof one === 'string' && one.trim() !== '' && Number.isFinite(Number(one))) return Number(one)
    if (typeof first === 'boolean' && (one === 'true' || one === 'false')) return one === 'true'
    return typeof first === 'string' && typeof one !== 'string' ? String(one) : one
  })
}
