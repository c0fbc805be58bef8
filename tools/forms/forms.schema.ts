/** Forms on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { validation } from '#platform/validation.ts'
import { definitionJson, description, sharing } from '#tools/definitions/definitions.schema.ts'

import { detailSection, field, formLayout, listSection } from './layout.schema.ts'

export { entity } from '#tools/query/query.schema.ts'

export const formSlot = idOrName.describe('id or internalName')
export const formId = z.int()
export const layoutVersion = z.int().describe('Goes up with each change of the layout')

export const binding = z.object({
  type: z.enum(['entity', 'view']),
  id: z.int().nullable().describe('null: it was deleted'),
  name: z.string(),
  entities: z.array(z.string()).describe('Of the record and of its lists'),
})

export const form = z.object({
  id: formId,
  internalName: z.string(),
  description: z.string(),
  entity: z.string(),
  entityId: z.int(),
  allowNew: z.boolean(),
  allowEdit: z.boolean(),
  allowDelete: z.boolean(),
  canCreate: z.boolean().describe('allowNew, and you may'),
  isShared: z.boolean(),
  isSystem: z.boolean(),
  isApiVisible: z.boolean(),
  binding,
  layoutVersion,
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
})

export const layoutJson = definitionJson.describe(
  '{lock?: filter, allowNew, allowEdit, allowDelete, sections: [{type: detail, name, title?, fields: [{property, label?, required?, readOnly?, default?, control?, span?, visibleWhen?: filter}]} or {type: list, name, entity: a child, fields, columns?, min?, max?}]}',
)

/** A form with its layout. */
export const formDetail = form.extend({ layoutJson: z.string().describe('JSON text, with the names of today') })

export const formVersion = z.object({
  layoutVersion: z.int(),
  createdDate: z.iso.datetime(),
  createdBy: z.object({ tenantUserId: z.int(), displayName: z.string() }),
  sizeBytes: z.int(),
  isCurrent: z.boolean(),
})

export const expectedLayoutVersion = z.int().optional().describe('422 stale_layout where the form has another one by now')

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

export const exampleForm = {
  id: 10_180,
  internalName: 'OrderForm',
  description: 'What the crew fills in',
  entity: 'WorkOrder',
  entityId: 10_060,
  allowNew: true,
  allowEdit: true,
  allowDelete: true,
  canCreate: true,
  isShared: true,
  isSystem: false,
  isApiVisible: true,
  binding: { type: 'entity' as const, id: 10_060, name: 'WorkOrder', entities: ['WorkOrder', 'Visit'] },
  layoutVersion: 1,
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana',
  validation: null,
} satisfies z.input<typeof form>

component('Form', form)
component('FormDetail', formDetail)
component('FormVersion', formVersion)
component('FormField', z.looseObject({}), field)
component(
  'FormLayout',
  layoutJson,
  z.union([z.string(), z.strictObject({ ...formLayout.shape, sections: z.array(z.union([detailSection, listSection])) })]),
)
