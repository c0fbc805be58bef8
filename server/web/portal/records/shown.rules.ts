/** What a form asks of what is typed so far. The rules are those of the pages of links; where they cannot tell, the field is shown and the API decides. */
import { holds } from '../../conditions.js'
import type { Draft } from './draft.rules.ts'
import type { AskedField } from './forms.ts'

/** What the form asks about now, as conditions compare it. */
function lookIn(fields: readonly AskedField[], draft: Draft) {
  return (property: string, entity: string | undefined) => {
    const field = entity === undefined ? fields.find(({ name }) => name === property) : undefined
    if (!field) return undefined
    const values = draft[property] ?? []
    const typed = field.type === 'Boolean' ? values.map((text) => text === 'true') : values
    return { type: field.type, value: field.isList ? typed : typed[0] }
  }
}

export function isAsked(field: AskedField, fields: readonly AskedField[], draft: Draft): boolean {
  return field.visibleWhen === undefined || holds(field.visibleWhen, lookIn(fields, draft)) !== false
}

export function isNeeded(field: AskedField, fields: readonly AskedField[], draft: Draft): boolean {
  return field.isRequired || (field.requiredWhen !== undefined && holds(field.requiredWhen, lookIn(fields, draft)) === true)
}

/** The options that stand while their conditions hold; what is chosen stays to be seen. */
export function optionsNow(field: AskedField, fields: readonly AskedField[], draft: Draft): AskedField['options'] {
  if (field.optionsFilter.length === 0) return field.options
  const look = lookIn(fields, draft)
  const open = field.optionsFilter.filter(({ when }) => when === undefined || holds(when, look) !== false).flatMap(({ options }) => options)
  const chosen = draft[field.name] ?? []
  return field.options.filter(({ internalName }) => open.includes(internalName) || chosen.includes(internalName))
}
