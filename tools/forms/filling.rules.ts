/** A layout as whoever fills it in gets it. */
import type { z } from 'zod'

import type { OwnAccess } from '#tools/entities/access.schema.ts'
import type { CatalogEntity, CatalogOption, CatalogProperty } from '#tools/entities/catalog.types.ts'

import { takesFiles } from './controls.rules.ts'
import type { formSchema, schemaField } from './form-schema.schema.ts'
import { channels as allChannels } from './layout.schema.ts'
import type { FormField, FormLayout, FormSection, ListSection } from './layout.types.ts'
import { optionNamesOf } from './records/held.rules.ts'
import { textIn } from './texts.rules.ts'

type SchemaField = z.output<typeof schemaField>
type FormSchema = z.output<typeof formSchema>

/** Of one field, and of all together, so that the answer stays one that a model can read. */
const optionsShown = 200
const optionsInAll = 5_000

export interface Names {
  /** By propertyId. */
  readonly properties: ReadonlyMap<number, { readonly name: string; readonly description: string }>
  /** By optionId. */
  readonly options: ReadonlyMap<number, string>
  /** The asked one, then that of the tenant. */
  readonly languageCodes: readonly string[]
}

/** The caller's rights by entityId. */
export type Rights = ReadonlyMap<number, OwnAccess>

/** The options that a field offers at all, whatever its conditions say. */
function optionsOffered({ property: { options, optionFilter }, optionsFilter }: FormField): readonly CatalogOption[] {
  if (!optionsFilter && optionFilter === null) return options
  const offered = optionsFilter && new Set(optionsFilter.flatMap(({ optionIds }) => [...optionIds]))
  return options.filter(({ optionId }) => (optionFilter === null || optionFilter.has(optionId)) && (!offered || offered.has(optionId)))
}

interface OfferedOfField {
  readonly count: number
  readonly shown: readonly CatalogOption[]
}

/** How many options each field that has some offers, and which of them are shown. */
export type OptionsOf = ReadonlyMap<FormField, OfferedOfField>

/** It pauses before each field: a form has a thousand, and each of them thousands of options. */
export function* optionsShownOf({ sections }: FormLayout): Generator<void, OptionsOf> {
  let left = optionsInAll
  const options = new Map<FormField, OfferedOfField>()
  for (const field of sections.flatMap((section) => section.fields)) {
    if (field.property.options.length === 0) continue
    yield
    const offered = optionsOffered(field)
    const shown = offered.slice(0, Math.min(optionsShown, left))
    left -= shown.length
    options.set(field, { count: offered.length, shown })
  }
  return options
}

const present = <T>(name: string, value: T | null | undefined) => (value === null || value === undefined ? {} : { [name]: value })
const names = (properties: readonly CatalogProperty[]) => properties.map((property) => property.internalName)
const channelsOf = (channels: FormField['channels']) => (channels.length === allChannels.length ? {} : { channels: [...channels] })

interface Showing {
  readonly names: Names
  readonly rights: Rights
  /** The values of the record, by property. */
  readonly locked: Readonly<Record<string, unknown>>
  /** By the name of a list those of its rows. */
  readonly lockedInRows: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly options: OptionsOf
}

function showOptions(field: FormField, { names: { options: nameOf }, options }: Showing): Partial<SchemaField> {
  const { property, optionsFilter } = field
  const offered = options.get(field)
  if (!offered) return {}
  const { count, shown } = offered
  const byId = optionNamesOf(property)
  const conditional = optionsFilter?.some(({ when }) => when !== undefined) === true ? optionsFilter : undefined
  return {
    options: shown.map(({ optionId, internalName, parentOptionId }) => ({
      internalName,
      name: nameOf.get(optionId) ?? internalName,
      ...present('parent', parentOptionId === null ? undefined : byId.get(parentOptionId)),
    })),
    ...(count > shown.length ? { optionCount: count } : {}),
    ...(conditional
      ? {
          optionsFilter: conditional.map(({ when, optionIds }) => ({
            ...present('when', when),
            options: [...optionIds].flatMap((id) => byId.get(id) ?? []),
          })),
        }
      : {}),
  }
}

function showField(field: FormField, section: FormSection, entityId: number, showing: Showing): SchemaField {
  const { property, capture } = field
  const { internalName, entityPropertyId, dataType, isList, isSensitive } = property
  const { languageCodes, properties } = showing.names
  const rights = showing.rights.get(entityId)
  const isWithheld = rights?.hidden.includes(internalName) === true
  const display = properties.get(property.propertyId)
  const help = textIn(field.help, languageCodes) ?? display?.description
  return {
    property: internalName,
    entityPropertyId,
    dataType,
    isList,
    section: section.name,
    label: textIn(field.label, languageCodes) ?? display?.name ?? internalName,
    ...(help === undefined || help === '' ? {} : { help }),
    control: field.control,
    span: field.span,
    isRequired: field.isRequired,
    isReadOnly: field.isReadOnly || isWithheld || rights?.readOnly.includes(internalName) === true,
    ...(isWithheld ? { isWithheld } : {}),
    isSensitive,
    ...present('keyPart', property.keyPart),
    ...(property.numbering ? { isNumbered: true as const } : {}),
    ...present('default', field.default),
    ...present('visibleWhen', field.visibleWhen),
    ...present('requiredWhen', field.requiredWhen),
    ...present('regEx', property.regEx),
    ...present('minValueOrLength', property.minValueOrLength),
    ...present('maxValueOrLength', property.maxValueOrLength),
    ...present('maxDecimalPlaces', property.maxDecimalPlaces),
    ...showOptions(field, showing),
    ...(capture ? { capture: showCapture(property, capture) } : {}),
    ...channelsOf(field.channels),
  }
}

function showCapture({ allowedFileTypes }: CatalogProperty, { maxBytes, source, accept, maxEdge }: NonNullable<FormField['capture']>) {
  return { maxBytes, source, accept: [...(accept.length > 0 ? accept : allowedFileTypes)], ...present('maxEdge', maxEdge) }
}

function showSection({ name, title, visibleWhen, channels }: FormSection, { languageCodes }: Names) {
  return { name, ...present('title', textIn(title, languageCodes)), ...present('visibleWhen', visibleWhen), ...channelsOf(channels) }
}

function* showFields(section: FormSection, { entityId }: CatalogEntity, showing: Showing): Generator<void, SchemaField[]> {
  const fields: SchemaField[] = []
  for (const field of section.fields) {
    yield
    fields.push(showField(field, section, entityId, showing))
  }
  return fields
}

function* showList(section: ListSection, showing: Showing): Generator<void, FormSchema['listSections'][number]> {
  const { entity, columns, min, max, allowAdd, allowEdit, allowDelete, filter, sort, hiddenRequired } = section
  return {
    ...showSection(section, showing.names),
    entity: entity.internalName,
    entityId: entity.entityId,
    columns: names(columns),
    fields: yield* showFields(section, entity, showing),
    min,
    max,
    allowAdd,
    allowEdit,
    allowDelete,
    ...present('filter', filter),
    ...present('sort', sort),
    lockedFields: { ...showing.lockedInRows.get(section.name) },
    hiddenRequired: names(hiddenRequired),
  }
}

/** The narrowest level that says where the files of a field go. Of the catalog none says so yet. */
function storageOf(field: FormField, section: FormSection, form: FormLayout): FormSchema['storageCascade'][number] {
  const said = [
    { level: 'field' as const, storageShortcut: field.storageShortcut },
    { level: 'section' as const, storageShortcut: section.storageShortcut },
    { level: 'form' as const, storageShortcut: form.storageShortcut },
  ].find((one) => one.storageShortcut !== undefined)
  const { level, storageShortcut = null } = said ?? { level: 'tenant' as const }
  return { section: section.name, property: field.property.internalName, level, storageShortcut }
}

/** The schema of a form beside its record. It pauses before each field. */
export function* showLayout(layout: FormLayout, showing: Showing): Generator<void, Omit<FormSchema, 'form'>> {
  const { entity, sections, pages, channels, hiddenRequired } = layout
  const fields: SchemaField[] = []
  const listSections: FormSchema['listSections'] = []
  for (const section of sections)
    if (section.type === 'list') listSections.push(yield* showList(section, showing))
    else fields.push(...(yield* showFields(section, entity, showing)))
  return {
    pages,
    channels: [...channels],
    sections: sections.map((section) => ({ type: section.type, ...showSection(section, showing.names) })),
    fields,
    listSections,
    lockedFields: { ...showing.locked },
    hiddenRequired: names(hiddenRequired),
    storageCascade: sections.flatMap((section) =>
      section.fields.filter(({ property }) => takesFiles(property)).map((field) => storageOf(field, section, layout)),
    ),
  }
}
