/** What stands in a control, in words. */
import { texts } from '../texts/index.ts'
import type { AskedField } from './forms.ts'
import { isChoice, isFile } from './kinds.ts'

function oneText(field: AskedField, text: string): string {
  if (field.type === 'Boolean') return text === 'true' ? texts.yes : texts.no
  if (isChoice(field.type)) return field.options.find(({ internalName }) => internalName === text)?.name ?? text
  return field.type === 'DateTime' ? text.replace('T', ' ') : text
}

export function telling(field: AskedField, values: readonly string[]): string {
  if (values.length === 0) return ''
  return isFile(field.type) ? texts.records.files(values.length) : values.map((text) => oneText(field, text)).join(', ')
}
