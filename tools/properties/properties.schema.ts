/** Properties on the wire: typed fields with their rules, options and displays. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, newName } from '#platform/names.ts'

import { systemFields } from './operators.types.ts'

/** In the order of their ids: Number is 1, Binary is 12. */
export const dataTypes = [
  'Number',
  'DateTime',
  'DateOnly',
  'TimeOnly',
  'Text',
  'Choice',
  'Attachment',
  'Signature',
  'Boolean',
  'Currency',
  'Hierarchy',
  'Binary',
] as const

export type DataType = (typeof dataTypes)[number]

/** A value that PostgreSQL numbered from 1 to 12 by the check on platform.property. */
export function dataTypeOf(dataTypeId: number): DataType {
  const dataType = dataTypes[dataTypeId - 1]
  if (!dataType) throw new Error(`There is no data type ${dataTypeId}`)
  return dataType
}

export const maxTextLength = 32_768
export const maxOptions = 5_000

export const propertyId = definitionId.describe('As list_properties shows it')
export const optionId = definitionId.describe('As list_property_options shows it')
export const languageRegionId = z.int().min(1).max(2_147_483_647)
export const languageCode = z.string().min(2).max(20).describe('Such as en-US')
const displayName = z.string().min(1).max(200)
const displayDescription = z.string().max(2_000)
const pattern = z.string().min(1).max(500).describe('RE2 syntax, found anywhere in the text unless anchored with ^ and $')

/** Which language a display is in: an id or a code, the tenant's default where neither is given. */
export const languageFields = { languageRegionId: languageRegionId.optional(), languageCode: languageCode.optional() } as const

export const displayInput = z.strictObject({
  ...languageFields,
  name: displayName,
  description: displayDescription.optional(),
  isTranslationLocked: z.boolean().optional().describe('Keeps machine translation from changing it'),
})

export const propertyDisplayInput = z.strictObject({
  ...displayInput.shape,
  regEx: pattern.nullable().optional().describe('Shown with the property in this language; saves are checked by the regEx of the property'),
})

export const displayInputs = z.array(displayInput).max(100)

export const newOption = z.strictObject({
  internalName: newName(),
  displays: displayInputs.optional(),
  parent: z.string().max(64).nullable().optional().describe('internalName of another option; Hierarchy only'),
})

/** The rules of a property, as create_property and update_property take them. */
export const propertyRuleFields = {
  regEx: pattern.nullable().optional().describe('Text only. RE2 syntax, found anywhere in the text unless anchored with ^ and $'),
  minValueOrLength: z.number().nullable().optional().describe('Least value of Number and Currency, least length of Text'),
  maxValueOrLength: z
    .number()
    .nullable()
    .optional()
    .describe('Greatest value of Number and Currency, greatest length of Text (at most 32,768)'),
  maxDecimalPlaces: z.int().min(0).max(10).nullable().optional().describe('Number and Currency only'),
  allowedFileTypes: z
    .array(z.string().min(1).max(20))
    .max(50)
    .nullable()
    .optional()
    .describe('Extensions without a dot; Attachment, Signature and Binary only; empty: any'),
  isSensitive: z.boolean().optional().describe('Reads are audited; its files go to sensitive storage only'),
  isIdentityEmail: z.boolean().optional().describe('Text only: the e-mail by which records are matched with users'),
  isIdentityPhone: z.boolean().optional().describe('Text only: the phone number by which records are matched with users'),
  isTenantUserRole: z.boolean().optional().describe('Says that its value names what the person does in the tenant'),
  storageShortcutId: definitionId.nullable().optional(),
  categoryId: definitionId.nullable().optional().describe('As list_categories shows it'),
  verticalId: definitionId.nullable().optional().describe('As list_verticals shows it'),
} as const

const recordFields = new Set(systemFields.map((field) => field.toLowerCase()))

/** Records have fields of their own, which filters and sorts mean by these names. */
export const newPropertyName = newName('property').refine((name) => !recordFields.has(name.toLowerCase()), {
  error: (issue) => `Every record has a field "${String(issue.input)}" of its own; choose another name`,
})

export const propertyDefinition = z.object({
  internalName: newPropertyName,
  dataType: z
    .enum([...dataTypes, 'Date'])
    .optional()
    .describe('dataType or dataTypeId is required. Date is another name of DateTime'),
  dataTypeId: z.int().min(1).max(12).optional(),
  displays: z.array(propertyDisplayInput).max(100).optional(),
  ...propertyRuleFields,
  propertyOptions: z.array(newOption).max(maxOptions).optional().describe('Choice and Hierarchy only, in their order'),
})

export type PropertyDefinition = z.output<typeof propertyDefinition>

/** As a catalog document holds one: beside ids, categories and verticals go by name, so that the document means the same in another tenant. */
export const portableProperty = z.strictObject({
  ...propertyDefinition.shape,
  category: z.string().max(64).nullable().optional().describe('internalName, instead of categoryId'),
  vertical: z.string().max(64).nullable().optional().describe('internalName, instead of verticalId'),
  optionFilters: z
    .array(z.strictObject({ internalName: newName(), options: z.array(z.string().max(64)).min(1).max(maxOptions) }))
    .max(200)
    .optional(),
})

export type PortableProperty = z.output<typeof portableProperty>

/** A row of list_properties. */
export const property = z.object({
  propertyId,
  dataTypeId: z.int(),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  isSensitive: z.boolean(),
  isFullyTranslated: z.boolean().describe('It has a display in every language of the tenant; today that is the default language'),
  categoryId: z.int().nullable(),
  verticalId: z.int().nullable(),
  globalSourceId: z.int().nullable(),
  displays: z.array(z.object({ languageRegionId: z.int(), languageDisplayName: z.string(), name: z.string(), description: z.string() })),
})

export type Property = z.output<typeof property>

export const propertyLanguage = z.object({
  languageRegionId: z.int(),
  languageDisplayName: z.string(),
  name: z.string(),
  description: z.string(),
  regEx: z.string().nullable(),
  isTranslationLocked: z.boolean(),
})

export type PropertyLanguage = z.output<typeof propertyLanguage>

export const propertyDetail = z.object({
  property: z.object({
    propertyId,
    dataTypeId: z.int(),
    dataType: z.enum(dataTypes),
    internalName: z.string(),
    name: z.string(),
    description: z.string(),
    maxDecimalPlaces: z.int().nullable(),
    maxValueOrLength: z.number().nullable(),
    minValueOrLength: z.number().nullable(),
    regEx: z.string().nullable(),
    allowedFileTypes: z.array(z.string()),
    isSensitive: z.boolean(),
    isIdentityEmail: z.boolean(),
    isIdentityPhone: z.boolean(),
    isTenantUserRole: z.boolean(),
    storageShortcutId: z.int().nullable(),
    globalSourceId: z.int().nullable(),
    verticalId: z.int().nullable(),
    categoryId: z.int().nullable(),
    optionCount: z.int().describe('list_property_options shows them'),
  }),
  languages: z.array(propertyLanguage),
})

export const propertyOption = z.object({
  optionId,
  propertyId: z.int(),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  parentOptionId: z.int().nullable(),
  parent: z.string().nullable().describe('internalName of the parent option'),
  position: z.int(),
  displays: z.array(z.object({ languageRegionId: z.int(), name: z.string(), description: z.string() })),
})

export type PropertyOption = z.output<typeof propertyOption>

export const optionFilter = z.object({
  propertyOptionFilterId: z.int(),
  propertyId: z.int(),
  internalName: z.string(),
  optionIds: z.array(z.int()),
  options: z.array(z.string()).describe('Their internalNames, in the order of the options'),
})

export type OptionFilter = z.output<typeof optionFilter>

export const deleted = z.literal(true)

/** What the examples of several operations show. */
export const examplePriority: Property = {
  propertyId: 10_041,
  dataTypeId: 6,
  internalName: 'Priority',
  name: 'Priority',
  description: 'How soon the work must begin',
  isSensitive: false,
  isFullyTranslated: true,
  categoryId: 7,
  verticalId: null,
  globalSourceId: null,
  displays: [
    { languageRegionId: 1, languageDisplayName: 'English (United States)', name: 'Priority', description: 'How soon the work must begin' },
  ],
}

export const examplePriorityInput = {
  internalName: 'Priority',
  dataType: 'Choice' as const,
  displays: [{ languageCode: 'en-US', name: 'Priority', description: 'How soon the work must begin' }],
  propertyOptions: [
    { internalName: 'Low' },
    { internalName: 'Normal' },
    { internalName: 'Urgent', displays: [{ languageCode: 'en-US', name: 'Urgent, within two hours' }] },
  ],
  categoryId: 7,
}

export const exampleUrgent: PropertyOption = {
  optionId: 10_044,
  propertyId: 10_041,
  internalName: 'Urgent',
  name: 'Urgent, within two hours',
  description: '',
  parentOptionId: null,
  parent: null,
  position: 3,
  displays: [{ languageRegionId: 1, name: 'Urgent, within two hours', description: '' }],
}

component('Property', property)
component('PropertyDetail', propertyDetail)
component('PropertyLanguage', propertyLanguage)
component('PropertyOption', propertyOption)
component('OptionFilter', optionFilter)
component('DisplayText', displayInput)
component('NewOption', newOption)
component('CatalogProperty', portableProperty)
