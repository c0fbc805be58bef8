/** Values as people read them. */
import { roomAddress, tenant } from '../page.ts'
import { texts } from '../texts/index.ts'
import { dateTime, day, number } from '../times.ts'
import { isChoice, isFile, isNumber, type Kind, type Property, type Value } from './kinds.ts'

export interface Titled {
  readonly eiRecordId: number
  readonly externalKey: string
}

/** By its key where it has one. */
export const titleOf = ({ eiRecordId, externalKey }: Titled) => (externalKey === '' ? `#${eiRecordId}` : externalKey)

const longestTitle = 80

/** By its key, else by the first text that it has. */
export function titleIn({ properties }: Kind, record: Titled & { readonly data: Readonly<Record<string, unknown>> }): string {
  if (record.externalKey !== '') return record.externalKey
  const texts = properties.filter(({ type }) => type === 'Text').map(({ name }) => record.data[name])
  const first = texts.find((text) => typeof text === 'string' && text.trim() !== '')
  if (typeof first !== 'string') return titleOf(record)
  return first.length > longestTitle ? `${first.slice(0, longestTitle)}…` : first
}

export const entityAddress = (entity: string) => roomAddress(`records/${encodeURIComponent(entity)}`)
export const recordAddress = (entity: string, eiRecordId: number) => `${entityAddress(entity)}/${eiRecordId}`
export const fileAddress = (assetKey: string) => `/t/${tenant}/api/v1/assets/${encodeURIComponent(assetKey)}/download`

function oneText(property: Property, value: string | number | boolean): string {
  const { type } = property
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (isNumber(type) && typeof value === 'number') return number(value)
  const text = String(value)
  if (type === 'DateTime') return dateTime(text)
  if (type === 'DateOnly') return day(text)
  if (isChoice(type)) return property.options?.find(({ internalName }) => internalName === text)?.name ?? text
  return text
}

const mostInCell = 160

/** As much of it as a table shows. */
export function briefOf(property: Property, value: Value | undefined): string {
  const text = textOf(property, value)
  return text.length > mostInCell ? `${text.slice(0, mostInCell)}…` : text
}

export function textOf(property: Property, value: Value | undefined): string {
  if (value === null || value === undefined) return ''
  // Array.isArray does not tell a readonly array from the rest.
  const all = Array.isArray(value) ? (value as readonly (string | number | boolean)[]) : [value as string | number | boolean]
  if (isFile(property.type)) return all.length === 0 ? '' : texts.records.files(all.length)
  return all.map((one) => oneText(property, one)).join(', ')
}
