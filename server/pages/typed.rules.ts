/** Texts as controls show them and browsers send them back. */
import type { ShownField } from '#tools/forms/links/shown-form.schema.ts'

/** What stands in a form's controls, by their names. */
export type Entered = ReadonlyMap<string, readonly string[]>

export const isFile = ({ dataType }: ShownField) => dataType === 'Attachment' || dataType === 'Signature' || dataType === 'Binary'

const isOneALine = ({ isList, dataType }: ShownField) => isList && !['Choice', 'Hierarchy', 'Boolean'].includes(dataType)

/** A browser sends line ends as the wire of mail has them, whichever stood there. */
export const withPlainEnds = (text: string) => text.replaceAll(/\r\n?/g, '\n')

/** Values of one list; a form that holds more was not filled in by hand. */
export const mostValues = 1_000

/** What was typed in a field: the first of it where one value is asked for, else as far as a list goes, and one more where it goes beyond. */
export function* textsIn(field: ShownField, entered: readonly string[]): Generator<void, string[]> {
  const most = field.isList ? mostValues + 1 : 1
  const found: string[] = []
  for (const whole of entered) {
    const lines = isOneALine(field) && !isFile(field) ? whole.matchAll(/[^\r\n]+/g) : [[whole]]
    for (const [text] of lines) {
      yield
      if (text.trim() !== '') found.push(text)
      if (found.length === most) return found
    }
  }
  return found
}
