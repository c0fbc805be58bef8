/** What a form asks of what is typed so far. The rules are those of the pages of links; where they cannot tell, the field is shown and the API decides. */
import { holds } from '../../conditions.js'
import type { Draft } from './draft.rules.ts'
import type { AskedField } from './forms.ts'

/** The record above a row, to which its conditions may speak by the name of its entity. */
export interface Above {
  readonly entity: string
  readonly fields: readonly AskedField[]
  readonly draft: Draft
}

/** What the form asks about now, as conditions compare it. */
function lookIn(fields: readonly AskedField[], draft: Draft, above: Above | undefined) {
  return (property: string, entity: string | undefined) => {
    const place = entity === undefined ? { fields, draft } : entity === above?.entity ? above : undefined
    const field = place?.fields.find(({ name }) => name === property)
    if (!place || !field) return undefined
    const values = place.draft[property] ?? []
    const typed = field.type === 'Boolean' ? values.map((text) => text === 'true') : values
    return { type: field.type, value: field.isList ? typed : typed[0] }
  }
}

export function isAsked(
  { visibleWhen }: { readonly visibleWhen: unknown },
  fields: readonly AskedField[],
  draft: Draft,
  above?: Above,
): boolean {
  return visibleWhen === undefined || holds(visibleWhen, lookIn(fields, draft, above)) !== false
}

export function isNeeded(field: AskedField, fields: readonly AskedField[], draft: Draft, above?: Above): boolean {
  return field.isRequired || (field.requiredWhen !== undefined && holds(field.requiredWhen, lookIn(fields, draft, above)) === true)
}

/** The options that stand while their conditions hold; what is chosen stays to be seen. */
export function optionsNow(field: AskedField, fields: readonly AskedField[], draft: Draft, above?: Above): AskedField['options'] {
  if (field.optionsFilter.length === 0) return field.options
  const look = lookIn(fields, draft, above)
  const open = field.optionsFilter.filter(({ when }) => when === undefined || holds(when, look) !== false).flatMap(({ options }) => options)
  const chosen = draft[field.name] ?? []
  return field.options.filter(({ internalName }) => open.includes(internalName) || chosen.includes(internalName))
}
