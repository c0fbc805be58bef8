/** A form as a signed link shows it: everything that a page, or an agent in a chat, needs to ask and to send. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

const shownOption = z.object({
  internalName: z.string(),
  name: z.string(),
  parent: z.string().optional().describe('Of a hierarchy'),
})

/** Filters as the layout has them: `visibleWhen`, `requiredWhen`. */
const condition = z.unknown()

export const shownField = z.object({
  property: z.string().describe('Its name in values'),
  name: z.string(),
  help: z.string().optional(),
  dataType: z.string(),
  control: z.string().describe('As layouts name them: select, photo, signature …'),
  span: z.int().describe('Of twelve columns'),
  isRequired: z.boolean(),
  isReadOnly: z.boolean().describe('Shown, and never sent'),
  isList: z.boolean(),
  value: z.unknown().describe('Of the record, else the default'),
  options: z.array(shownOption).optional(),
  maxLength: z.int().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxDecimalPlaces: z.int().optional(),
  capture: z
    .object({
      maxBytes: z.int(),
      accept: z.array(z.string()).optional().describe('Extensions without a dot'),
      source: z.enum(['any', 'camera', 'gallery']).optional(),
      maxEdge: z.int().optional().describe('Pixels; larger pictures are made smaller'),
    })
    .optional(),
  visibleWhen: condition.optional(),
  requiredWhen: condition.optional(),
  optionsFilter: z.unknown().optional(),
})

export const shownSection = z.object({
  type: z.enum(['detail', 'list']),
  name: z.string(),
  title: z.string(),
  visibleWhen: condition.optional(),
  fields: z.array(shownField),
  rows: z
    .array(z.object({ eiRecordId: z.int(), values: z.record(z.string(), z.unknown()) }))
    .optional()
    .describe('Of a list'),
  minRows: z.int().optional(),
  maxRows: z.int().optional(),
  allowAdd: z.boolean().optional(),
  allowEdit: z.boolean().optional(),
  allowDelete: z.boolean().optional(),
})

export const shownForm = z.object({
  form: z.string(),
  title: z.string(),
  description: z.string(),
  layoutVersion: z.int(),
  mode: z.enum(['create', 'update']),
  pages: z.enum(['scroll', 'section']),
  sections: z.array(shownSection),
})

export type ShownOption = z.output<typeof shownOption>
export type ShownField = z.output<typeof shownField>
export type ShownSection = z.output<typeof shownSection>
export type ShownForm = z.output<typeof shownForm>

component('LinkField', shownField)
component('LinkSection', shownSection)
component('LinkForm', shownForm)

export const exampleShownForm: ShownForm = {
  form: 'GateInspection',
  title: 'Inspection of the gate',
  description: '',
  layoutVersion: 3,
  mode: 'create',
  pages: 'scroll',
  sections: [
    {
      type: 'detail',
      name: 'gate',
      title: 'Gate',
      fields: [
        {
          property: 'GateState',
          name: 'State of the gate',
          dataType: 'Choice',
          control: 'radio',
          span: 12,
          isRequired: true,
          isReadOnly: false,
          isList: false,
          value: null,
          options: [
            { internalName: 'open', name: 'Open' },
            { internalName: 'closed', name: 'Closed' },
          ],
        },
      ],
    },
  ],
}
