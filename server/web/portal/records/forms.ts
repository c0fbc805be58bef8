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
  /** The section's title. */
  readonly section: string | undefined
  /** Its name, which is one of `order`. */
  readonly group: string
  readonly propertyId: number | undefined
  readonly accept: readonly string[]
  readonly options: readonly { readonly internalName: string; readonly name: string; readonly parent?: string | undefined }[]
  /** Of all, where `options` holds fewer. */
  readonly optionCount: number
  readonly visibleWhen: unknown
  readonly requiredWhen: unknown
  readonly optionsFilter: readonly { readonly when?: unknown; readonly options: readonly string[] }[]
}

/** Records below the one of the form, entered with it. */
export interface AskedList {
  readonly name: string
  readonly title: string
  readonly entity: string
  readonly fields: readonly AskedField[]
  /** Of which a row that is folded tells the values. */
  readonly columns: readonly string[]
  readonly min: number
  readonly max: number
  readonly allowAdd: boolean
  readonly allowEdit: boolean
  readonly allowDelete: boolean
  readonly visibleWhen: unknown
}

interface AskedForm {
  readonly form: string
  readonly entity: string
  readonly layoutVersion: number
  readonly fields: readonly AskedField[]
  readonly lists: readonly AskedList[]
  /** Names of sections, of fields and of lists, as the form has them one below the other. */
  readonly order: readonly string[]
}

export type Asked =
  | AskedForm
  | { readonly form: undefined; readonly fields: readonly AskedField[]; readonly lists: readonly []; readonly order: readonly string[] }

/** Those that make or change a record here. */
export async function listForms(entity: string, isNew: boolean) {
  const forms = await dataOf(api.POST('/api/v1/entities/{entity}/forms/list', { params: { path: { entity } } }))
  return forms.filter(({ canCreate, allowEdit }) => (isNew ? canCreate : allowEdit))
}

const askSchema = (form: string) => dataOf(api.POST('/api/v1/forms/{form}/schema', { params: { path: { form } } }))
type SchemaField = Awaited<ReturnType<typeof askSchema>>['fields'][number]

/** A record through a form, with the rows of its lists. */
export const readThroughForm = (form: string, record: number) =>
  dataOf(api.POST('/api/v1/forms/{form}/records/{record}', { params: { path: { form, record } } }))
export type ReadThroughForm = Awaited<ReturnType<typeof readThroughForm>>

export async function askForm(form: string): Promise<Asked> {
  const schema = await askSchema(form)
  const isOfWeb = (channels: readonly string[] | undefined) => channels === undefined || channels.includes('web')
  const sections = new Map(schema.sections.map((section) => [section.name, section]))
  const isAsked = ({ channels, isWithheld }: SchemaField) => isOfWeb(channels) && isWithheld !== true
  const fields = schema.fields
    .filter((field) => isAsked(field) && isOfWeb(sections.get(field.section)?.channels))
    .map((field): AskedField => {
      const section = sections.get(field.section)
      const visibleWhen = bothOf(section?.visibleWhen, field.visibleWhen)
      return { ...askedField(field, schema.lockedFields), section: section?.title, group: field.section, visibleWhen }
    })
  const lists = schema.listSections
    .filter(({ channels }) => isOfWeb(channels))
    .map(({ lockedFields, ...list }): AskedList => ({
      ...list,
      title: list.title ?? list.name,
      fields: list.fields.filter(isAsked).map((field) => askedField(field, lockedFields)),
      visibleWhen: list.visibleWhen,
    }))
  return {
    form,
    entity: schema.form.entity,
    layoutVersion: schema.form.layoutVersion,
    fields,
    lists,
    order: schema.sections.map(({ name }) => name),
  }
}

function askedField(field: SchemaField, locked: Readonly<Record<string, unknown>>): AskedField {
  return {
    name: field.property,
    label: field.label,
    help: field.help,
    type: field.dataType,
    isList: field.isList,
    isRequired: field.isRequired && field.isNumbered !== true && field.default === undefined,
    isReadOnly: field.isReadOnly || field.property in locked,
    keyPart: field.keyPart ?? null,
    isLong: field.control === 'longText',
    section: undefined,
    group: '',
    propertyId: undefined,
    accept: field.capture?.accept ?? [],
    options: field.options ?? [],
    optionCount: field.optionCount ?? 0,
    visibleWhen: field.visibleWhen,
    requiredWhen: field.requiredWhen,
    optionsFilter: field.optionsFilter ?? [],
  }
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
      group: '',
      propertyId: property.propertyId ?? undefined,
      accept: property.allowedFileTypes ?? [],
      options: property.options ?? [],
      optionCount: property.optionCount ?? 0,
      visibleWhen: undefined,
      requiredWhen: undefined,
      optionsFilter: [],
    }))
  return { form: undefined, fields, lists: [], order: [''] }
}
