/** Forms on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { newName } from '#platform/names.ts'
import { definitionJson, description, sharing } from '#tools/definitions/definitions.schema.ts'

import { detailSection, field, formLayout, listSection } from './layout.schema.ts'

export const layoutJson = definitionJson.describe(
  '{lock?: filter, allowNew, allowEdit, allowDelete, sections: [{type: detail, name, title?, fields: [{property, label?, required?, readOnly?, default?, control?, span?, visibleWhen?: filter}]} or {type: list, name, entity: a child, fields, columns?, min?, max?}]}',
)

/** What create_form takes beside the entity. */
export const formInput = z.object({
  layoutJson,
  internalName: newName('form').optional().describe('Here or in the layout'),
  description: description.optional(),
  ...sharing,
})

export const exampleLayout = {
  sections: [
    {
      type: 'detail' as const,
      name: 'work',
      fields: [
        { property: 'Title', required: true },
        { property: 'Status', control: 'radio' as const, default: 'open' },
        { property: 'ClosedReason', visibleWhen: [{ property: 'Status', op: 'eq', value: 'closed' }] },
      ],
    },
    { type: 'list' as const, name: 'visits', entity: 'Visit', fields: [{ property: 'VisitDate' }], max: 20 },
  ],
}

component('FormField', z.looseObject({}), field)
component(
  'FormLayout',
  layoutJson,
  z.union([z.string(), z.strictObject({ ...formLayout.shape, sections: z.array(z.union([detailSection, listSection])) })]),
)
