/** What get_form_schema answers: a form as whoever fills it in needs it. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { dataTypes } from '#tools/properties/properties.schema.ts'

import { exampleForm, form } from './forms.schema.ts'
import { channels, controls, storageLevels } from './layout.schema.ts'

const condition = z.unknown().describe('A filter, as the layout has it')
const text = z.string().describe('In your language; tokens as the layout has them')
const someChannels = z.array(z.enum(channels)).describe('Absent: all of the form')

export const schemaField = z.object({
  property: z.string(),
  entityPropertyId: z.int(),
  dataType: z.enum(dataTypes),
  isList: z.boolean(),
  section: z.string(),
  label: text,
  help: text.optional(),
  control: z.enum(controls),
  span: z.int().describe('Of twelve columns'),
  isRequired: z.boolean(),
  isReadOnly: z.boolean().describe('By the form, a lock, or your access'),
  isWithheld: z.literal(true).optional().describe('Your access shows it in no record'),
  isSensitive: z.boolean(),
  keyPart: z.int().optional(),
  isNumbered: z.literal(true).optional().describe('The server gives the value where none is sent'),
  default: z.unknown().optional().describe('A value, a text with tokens, or {$expr}: the server works it out where nothing is sent'),
  visibleWhen: condition.optional(),
  requiredWhen: condition.optional(),
  regEx: z.string().optional(),
  minValueOrLength: z.number().optional(),
  maxValueOrLength: z.number().optional(),
  maxDecimalPlaces: z.int().optional(),
  options: z.array(z.object({ internalName: z.string(), name: z.string(), parent: z.string().optional() })).optional(),
  optionCount: z.int().optional().describe('Of all, where options holds fewer: list_property_options'),
  optionsFilter: z
    .array(z.object({ when: condition.optional(), options: z.array(z.string()) }))
    .optional()
    .describe('Offered while a condition holds'),
  capture: z
    .object({
      maxBytes: z.int(),
      source: z.enum(['any', 'camera', 'gallery']),
      accept: z.array(z.string()).describe('Extensions; empty: any'),
      maxEdge: z.int().optional(),
    })
    .optional(),
  channels: someChannels.optional(),
})

const section = z.object({ name: z.string(), title: text.optional(), visibleWhen: condition.optional(), channels: someChannels.optional() })

const lockedFields = z.record(z.string(), z.unknown()).describe('By property the value that every record has; nobody sends it')
const hiddenRequired = z.array(z.string()).describe('Required properties that may be hidden, or stand nowhere')

export const formSchema = z.object({
  form,
  pages: z.enum(['scroll', 'section']),
  channels: z.array(z.enum(channels)),
  sections: z.array(section.extend({ type: z.enum(['detail', 'list']) })).describe('In their order'),
  fields: z.array(schemaField).describe('Of the detail sections, in their order'),
  listSections: z.array(
    section.extend({
      entity: z.string(),
      entityId: z.int(),
      columns: z.array(z.string()),
      fields: z.array(schemaField),
      min: z.int(),
      max: z.int(),
      allowAdd: z.boolean(),
      allowEdit: z.boolean(),
      allowDelete: z.boolean(),
      filter: condition.optional(),
      sort: z.unknown().optional().describe('As the layout has it'),
      lockedFields,
      hiddenRequired,
    }),
  ),
  lockedFields,
  hiddenRequired,
  storageCascade: z
    .array(
      z.object({
        section: z.string(),
        property: z.string(),
        level: z.enum(storageLevels),
        storageShortcut: z.union([z.int(), z.string()]).nullable(),
      }),
    )
    .describe('Where the files of each field go, and which level says so'),
})

component('FormSchemaField', schemaField)
component('FormSchema', formSchema)

export const exampleFormSchema = {
  form: exampleForm,
  pages: 'scroll' as const,
  channels: [...channels],
  sections: [{ type: 'detail' as const, name: 'work', title: 'The work' }],
  fields: [
    {
      property: 'Title',
      entityPropertyId: 10_062,
      dataType: 'Text' as const,
      isList: false,
      section: 'work',
      label: 'What is to be done',
      control: 'text' as const,
      span: 12,
      isRequired: true,
      isReadOnly: false,
      isSensitive: false,
      maxValueOrLength: 200,
    },
  ],
  listSections: [],
  lockedFields: { Status: 'open' },
  hiddenRequired: [],
  storageCascade: [],
} satisfies z.input<typeof formSchema>
