/** What is asked when a record is made or changed: the fields of a form, or all properties of the entity, in one shape. */
import { api, dataOf } from '../client.ts'
import type { Kind, Property } from './kinds.ts'

export interface AskedField {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly type: Property['type']
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isReadOnly: boolean
  readonly keyPart: number | null
  readonly isLong: boolean
  readonly section: string | undefined
  readonly propertyId: number | undefined
  readonly accept: readonly string[]
  readonly options: readonly { readonly internalName: string; readonly name: string; readonly parent?: string | undefined }[]
  /** Of all, where `options` holds fewer. */
  readonly optionCount: number
  readonly visibleWhen: unknown
  readonly requiredWhen: unknown
  readonly optionsFilter: readonly { readonly when?: unknown; readonly options: readonly string[] }[]
}

export type Asked =
  | { readonly form: string; readonly layoutVersion: number; readonly fields: readonly AskedField[] }
  | { readonly form: undefined; readonly fields: readonly AskedField[] }

/** Those that make or change a record here. */
export async function listForms(entity: string, isNew: boolean) {
  const forms = await dataOf(api.POST('/api/v1/entities/{entity}/forms/list', { params: { path: { entity } } }))
  return forms.filter(({ canCreate, allowEdit }) => (isNew ? canCreate : allowEdit))
}

export async function askForm(form: string): Promise<Asked> {
  const schema = await dataOf(api.POST('/api/v1/forms/{form}/schema', { params: { path: { form } } }))
  const isOfWeb = (channels: readonly string[] | undefined) => channels === undefined || channels.includes('web')
  const sections = new Map(schema.sections.map((section) => [section.name, section]))
  const fields = schema.fields
    .filter(({ channels, section, isWithheld }) => isOfWeb(channels) && isOfWeb(sections.get(section)?.channels) && isWithheld !== true)
    .map((field): AskedField => {
      const section = sections.get(field.section)
      return {
        name: field.property,
        label: field.label,
        help: field.help,
        type: field.dataType,
        isList: field.isList,
        isRequired: field.isRequired && field.isNumbered !== true && field.default === undefined,
        isReadOnly: field.isReadOnly || field.property in schema.lockedFields,
        keyPart: field.keyPart ?? null,
        isLong: field.control === 'longText',
        section: section?.title,
        propertyId: undefined,
        accept: field.capture?.accept ?? [],
        options: field.options ?? [],
        optionCount: field.optionCount ?? 0,
        visibleWhen: bothOf(section?.visibleWhen, field.visibleWhen),
        requiredWhen: field.requiredWhen,
        optionsFilter: field.optionsFilter ?? [],
      }
    })
  return { form, layoutVersion: schema.form.layoutVersion, fields }
}

function bothOf(one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other
  const groups = [one, other].map((condition) => (Array.isArray(condition) ? { rules: condition } : condition))
  return { logic: 'AND', groups }
}

export function askedByEntity({ properties, access }: Kind): Asked {
  const fields = properties
    .filter(({ name }) => !access.hidden.includes(name))
    .map((property): AskedField => ({
      name: property.name,
      label: property.label,
      help: property.propertyDescription === '' ? undefined : (property.propertyDescription ?? undefined),
      type: property.type,
      isList: property.isList,
      isRequired: property.isRequired && property.numbering === undefined,
      isReadOnly: access.readOnly.includes(property.name),
      keyPart: property.keyPart,
      isLong: (property.maxValueOrLength ?? 0) > 200,
      section: undefined,
      propertyId: property.propertyId ?? undefined,
      accept: property.allowedFileTypes ?? [],
      options: property.options ?? [],
      optionCount: property.optionCount ?? 0,
      visibleWhen: undefined,
      requiredWhen: undefined,
      optionsFilter: [],
    }))
  return { form: undefined, fields }
}
