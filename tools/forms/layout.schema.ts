/** The grammar of form layouts: sections of fields, on one entity and its children. Nested parts are read one by one by layout.rules.ts. */
import { z } from 'zod'

import { idOrName, newName } from '#platform/names.ts'
import { sort } from '#tools/query/query.schema.ts'

export const maxSections = 60
export const maxFields = 300
/** Of all sections together: what a person fills in, and what a check takes of everybody's time, end somewhere. */
export const maxFieldsInAll = 1_000
export const maxRows = 1_000
/** Of one file that a form takes. */
export const maxCaptureBytes = 26_214_400
const maxLanguages = 50

export const channels = ['web', 'mobile', 'rich'] as const

/** Where it may be said to which storage files go, the narrowest first. */
export const storageLevels = ['field', 'section', 'form', 'catalog', 'tenant'] as const

export const controls = [
  'text',
  'longText',
  'email',
  'phone',
  'url',
  'scan',
  'number',
  'slider',
  'stepper',
  'currency',
  'date',
  'time',
  'dateTime',
  'toggle',
  'checkbox',
  'select',
  'radio',
  'checkboxes',
  'tree',
  'file',
  'photo',
  'audio',
  'video',
  'signature',
] as const

export type Control = (typeof controls)[number]

const languageTag = z.string().regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, 'Expected the code of a language, such as en or en-US')

/** A text for people, in one language or several; tokens are allowed. */
export const text = z.union([
  z.string().max(2_000),
  z
    .record(languageTag, z.string().max(2_000))
    .refine((one) => Object.keys(one).length <= maxLanguages, `At most ${maxLanguages} languages`),
])

export type Text = z.output<typeof text>

/** A filter: a group or an array of rules, read by the parser of filters. */
const condition = z.union([z.looseObject({}), z.array(z.looseObject({})).max(200)])

const storageShortcut = idOrName.optional()
const propertyName = z.union([z.string().min(1).max(200), z.int().min(1)])
const someChannels = z.array(z.enum(channels)).min(1).max(channels.length).optional()

const capture = z.strictObject({
  maxBytes: z.int().min(1).max(maxCaptureBytes).optional().describe('25 MiB unless told'),
  source: z.enum(['any', 'camera', 'gallery']).optional(),
  accept: z.array(z.string().min(1).max(20)).min(1).max(50).optional().describe('Extensions without a dot'),
  maxEdge: z.int().min(64).max(10_000).optional().describe('Pictures are made smaller until no edge is longer, in pixels'),
})

const options = z.array(z.string().min(1).max(64)).min(1).max(5_000)

export const field = z.strictObject({
  property: propertyName,
  label: text.optional(),
  help: text.optional(),
  required: z.boolean().optional(),
  readOnly: z.boolean().optional(),
  default: z.unknown().optional().describe('A value, a text with tokens, or {"$expr": […]}'),
  control: z.enum(controls).optional(),
  span: z.int().min(1).max(12).optional().describe('Of twelve columns'),
  visibleWhen: condition.optional(),
  requiredWhen: condition.optional(),
  optionsFilter: z
    .union([
      options,
      z
        .array(z.strictObject({ when: condition.optional(), options }))
        .min(1)
        .max(200),
    ])
    .optional()
    .describe('The options that are offered: their internalNames, or those of each condition that holds'),
  capture: capture.optional(),
  storageShortcut,
  channels: someChannels,
})

export const sectionTypes = ['detail', 'list'] as const

const anySection = {
  name: newName(),
  title: text.optional(),
  visibleWhen: condition.optional(),
  storageShortcut,
  channels: someChannels,
} as const

const fields = z.array(z.looseObject({})).max(maxFields)

export const detailSection = z.strictObject({ type: z.literal('detail'), ...anySection, fields: fields.min(1) })

export const listSection = z.strictObject({
  type: z.literal('list'),
  ...anySection,
  entity: idOrName.describe('A child entity'),
  link: z.literal('child').optional().describe('A list shows children; said where the entity is related in several ways'),
  columns: z.array(propertyName).max(maxFields).optional().describe('The first fields unless told'),
  fields: fields.min(1),
  min: z.int().min(0).max(maxRows).optional(),
  max: z.int().min(1).max(maxRows).optional(),
  allowAdd: z.boolean().optional(),
  allowEdit: z.boolean().optional(),
  allowDelete: z.boolean().optional(),
  filter: condition.optional(),
  sort: sort.optional(),
})

export const formLayout = z.strictObject({
  layoutVersion: z.int().optional().describe('Set by the server: what is sent says nothing'),
  internalName: newName('form').optional(),
  entity: idOrName.optional(),
  binding: z
    .strictObject({
      type: z.enum(['entity', 'view']).optional(),
      name: z.string().min(1).max(200).nullable().optional(),
      id: z.int().nullable().optional(),
      entities: z.unknown().optional(),
    })
    .optional()
    .describe('A view narrows the form to its records; the entity alone unless told'),
  lock: condition.optional().describe('A filter: the form reaches the records that fulfil it, and fixes what it says eq of'),
  allowNew: z.boolean().optional(),
  allowEdit: z.boolean().optional(),
  allowDelete: z.boolean().optional(),
  channels: someChannels,
  storageShortcut,
  pages: z.enum(['scroll', 'section']).optional(),
  sections: z
    .array(z.looseObject({ type: z.unknown() }))
    .min(1)
    .max(maxSections),
})
