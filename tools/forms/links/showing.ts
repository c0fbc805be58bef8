/** A layout as a link shows it: in the recipient's language, with what the record holds. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import { listOptionDisplays, listPropertyDisplays, shownIn } from '#tools/properties/service.ts'

import { takesFiles } from '../controls.rules.ts'

import type { FormField, FormLayout, FormSection } from '../layout.types.ts'
import { textIn } from '../texts.rules.ts'
import type { ShownField, ShownForm, ShownOption, ShownSection } from './shown-form.schema.ts'

/** In which language to show it. */
export interface ShownIn extends DisplayLanguages {
  /** Of the texts that the layout itself holds. */
  readonly languageCodes: readonly string[]
}

/** Of all fields together: they travel with the form. */
const mostOptions = 10_000

/** What a record holds, as the form reaches it. */
export interface Present {
  readonly values: Readonly<Record<string, unknown>>
  /** By the name of the section. */
  readonly rows: ReadonlyMap<string, NonNullable<ShownSection['rows']>>
}

/** Options that the form offers at all; which of them fit the other answers is checked with these. */
function optionsOf({ property, optionsFilter }: FormField): CatalogProperty['options'] {
  const { options, optionFilter } = property
  const allowed = optionFilter === null ? options : options.filter(({ optionId }) => optionFilter.has(optionId))
  if (optionsFilter === undefined) return allowed
  const offered = new Set(optionsFilter.flatMap(({ optionIds }) => [...optionIds]))
  return allowed.filter(({ optionId }) => offered.has(optionId))
}

/** What stands in the field before anybody typed; what only the server can work out, it does when the answer comes without it. */
function defaultOf({ default: said }: FormField): unknown {
  const isWorkedOut = (typeof said === 'string' && said.includes('[[')) || (typeof said === 'object' && said !== null && '$expr' in said)
  return said === undefined || isWorkedOut ? null : said
}

const isNumeric = ({ dataType }: CatalogProperty) => dataType === 'Number' || dataType === 'Currency'

function limitsOf(property: CatalogProperty): Partial<ShownField> {
  const { minValueOrLength: least, maxValueOrLength: most, maxDecimalPlaces } = property
  if (isNumeric(property))
    return {
      ...(least === null ? {} : { minimum: least }),
      ...(most === null ? {} : { maximum: most }),
      ...(maxDecimalPlaces === null ? {} : { maxDecimalPlaces }),
    }
  if (property.dataType !== 'Text') return {}
  return { ...(least === null ? {} : { minimum: least }), ...(most === null ? {} : { maxLength: most }) }
}

export async function showLayout(
  { tx, tenantId }: TxContext,
  form: Pick<ShownForm, 'form' | 'title' | 'description' | 'layoutVersion' | 'mode'> & { readonly layout: FormLayout },
  languages: ShownIn,
  present: Present | undefined,
): Promise<ShownForm> {
  const { layout, ...rest } = form
  const onPages = layout.sections.filter(({ channels }) => channels.includes('web') || channels.includes('mobile'))
  const fields = onPages.flatMap((section) => section.fields)
  const displays = await listPropertyDisplays(tx, tenantId, [...new Set(fields.map(({ property }) => property.propertyId))])
  const displaysOf = Map.groupBy(displays, ({ propertyId }) => propertyId)
  const optionIds = [...new Set(fields.flatMap((field) => optionsOf(field).map(({ optionId }) => optionId)))]
  if (optionIds.length > mostOptions)
    throw new AppError(
      'too_large',
      `The form offers ${optionIds.length} options, and a link shows at most ${mostOptions}. Offer fewer by optionsFilter.`,
    )
  const optionDisplays = optionIds.length === 0 ? [] : await listOptionDisplays(tx, tenantId, optionIds)
  const optionDisplaysOf = Map.groupBy(optionDisplays, ({ optionId }) => optionId)

  function showOptions(field: FormField): { options?: ShownOption[] } {
    if (field.property.options.length === 0) return {}
    const names = new Map(field.property.options.map(({ optionId, internalName }) => [optionId, internalName]))
    return {
      options: optionsOf(field).map(({ optionId, internalName, parentOptionId }) => {
        const parent = parentOptionId === null ? undefined : names.get(parentOptionId)
        const { name } = shownIn(optionDisplaysOf.get(optionId) ?? [], languages, internalName)
        return { internalName, name, ...(parent === undefined ? {} : { parent }) }
      }),
    }
  }

  function showField(field: FormField, section: FormSection): ShownField {
    const { property } = field
    const { name, description } = shownIn(displaysOf.get(property.propertyId) ?? [], languages, property.internalName)
    const help = textIn(field.help, languages.languageCodes) ?? description
    const held = section.type === 'detail' ? present?.values[property.internalName] : undefined
    const locked = section.type === 'detail' ? layout.lockedFields.get(property) : section.lockedFields.get(property)
    const { capture } = field
    return {
      property: property.internalName,
      name: textIn(field.label, languages.languageCodes) ?? name,
      ...(help === '' ? {} : { help }),
      dataType: property.dataType,
      control: field.control,
      span: field.span,
      isRequired: field.isRequired,
      isReadOnly: field.isReadOnly,
      isList: property.isList,
      value: present !== undefined && section.type === 'detail' ? (held ?? null) : (locked ?? defaultOf(field)),
      ...showOptions(field),
      ...limitsOf(property),
      ...(capture === undefined || !takesFiles(property)
        ? {}
        : {
            capture: {
              maxBytes: capture.maxBytes,
              source: capture.source,
              ...(capture.accept.length + property.allowedFileTypes.length === 0
                ? {}
                : { accept: [...(capture.accept.length > 0 ? capture.accept : property.allowedFileTypes)] }),
              ...(capture.maxEdge === undefined ? {} : { maxEdge: capture.maxEdge }),
            },
          }),
      ...(field.visibleWhen === undefined ? {} : { visibleWhen: field.visibleWhen }),
      ...(field.requiredWhen === undefined ? {} : { requiredWhen: field.requiredWhen }),
    }
  }

  const sections = await mapInTurns(onPages, (section): ShownSection => {
    const shown = {
      name: section.name,
      title: textIn(section.title, languages.languageCodes) ?? '',
      ...(section.visibleWhen === undefined ? {} : { visibleWhen: section.visibleWhen }),
      fields: section.fields
        .filter(({ channels }) => channels.includes('web') || channels.includes('mobile'))
        .map((field) => showField(field, section)),
    }
    if (section.type === 'detail') return { type: 'detail', ...shown }
    const { min, max, allowAdd, allowEdit, allowDelete } = section
    const title = shown.title === '' ? section.entity.internalName : shown.title
    const rows = present?.rows.get(section.name) ?? []
    return { type: 'list', ...shown, title, rows, minRows: min, maxRows: max, allowAdd, allowEdit, allowDelete }
  })
  return { ...rest, pages: layout.pages, sections }
}
