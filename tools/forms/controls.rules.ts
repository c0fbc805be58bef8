/** By which control a value is entered. */
import { pathText } from '#platform/issues.ts'
import { nearest } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'

import type { Control } from './layout.schema.ts'
import type { Place } from './layout.types.ts'

/** The first is taken where nothing is said. */
const controlsOf: Readonly<Record<DataType, readonly [Control, ...Control[]]>> = {
  Text: ['text', 'longText', 'email', 'phone', 'url', 'scan'],
  Number: ['number', 'slider', 'stepper'],
  Currency: ['currency', 'number'],
  Boolean: ['toggle', 'checkbox', 'radio'],
  DateTime: ['dateTime'],
  DateOnly: ['date'],
  TimeOnly: ['time'],
  Choice: ['select', 'radio'],
  Hierarchy: ['tree', 'select'],
  Attachment: ['file', 'photo', 'audio', 'video'],
  Signature: ['signature'],
  Binary: ['file'],
}

export function allowedControls({ dataType, isList }: Pick<CatalogProperty, 'dataType' | 'isList'>): readonly [Control, ...Control[]] {
  return dataType === 'Choice' && isList ? ['checkboxes', 'select'] : controlsOf[dataType]
}

export function takesFiles({ dataType }: Pick<CatalogProperty, 'dataType'>): boolean {
  return dataType === 'Attachment' || dataType === 'Signature' || dataType === 'Binary'
}

export function findControlProblems(property: CatalogProperty, control: Control | undefined, at: Place): Finding[] {
  const allowed = allowedControls(property)
  if (control === undefined || allowed.includes(control)) return []
  const kind = property.isList ? `a list of ${property.dataType}` : property.dataType
  const message = `${property.internalName} is ${kind} and is not entered by ${control}. Allowed: ${allowed.join(', ')}.`
  return [finding(pathText(at), message, { suggestion: nearest(control, allowed) ?? allowed[0] })]
}
