/** Values of inputs and variables, held against the type that a definition says: of a property they have the form, and none of its further rules. */
import { noPatterns } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'
import { type DataType, dataTypes } from '#tools/properties/properties.schema.ts'
import { checkValue } from '#tools/properties/service.ts'

export interface Typed {
  readonly dataType: string
  readonly isList?: boolean | undefined
}

export type Read = { readonly value: unknown } | { readonly problem: string }

const anyOfType = { minValueOrLength: null, maxValueOrLength: null, maxDecimalPlaces: null, regEx: null, options: [], optionFilter: null }
/** Options go by their names, whichever property they are of. A text is as long as a run may hold. */
const ofText: ReadonlySet<DataType> = new Set(['Text', 'Choice', 'Hierarchy'])

function readOne(said: string, raw: unknown): Read {
  const dataType = dataTypes.find((one) => one === said)
  // A draft may say a type that there is not, which is told where it stands.
  if (!dataType) return { value: raw }
  if (ofText.has(dataType)) return typeof raw === 'string' ? { value: raw } : { problem: `Expected text, got ${quoted(raw)}.` }
  return checkValue({ ...anyOfType, dataType, isList: false }, raw, noPatterns)
}

/** The value in the form in which it is kept, or what is wrong with it. */
export function readTyped({ dataType, isList = false }: Typed, raw: unknown): Read {
  if (!isList) return Array.isArray(raw) ? { problem: 'Expected one value, got a list.' } : readOne(dataType, raw)
  if (!Array.isArray(raw)) return { problem: `Expected a list, got ${quoted(raw)}.` }
  const values: unknown[] = []
  for (const [index, one] of raw.entries()) {
    const read = readOne(dataType, one)
    if ('problem' in read) return { problem: `Value ${index}: ${read.problem}` }
    values.push(read.value)
  }
  return { value: values }
}
