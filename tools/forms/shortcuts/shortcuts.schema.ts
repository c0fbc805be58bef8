/** Shortcuts of forms, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { validation } from '#platform/validation.ts'
import { definitionJson, description, sharing } from '#tools/definitions/definitions.schema.ts'

export { formSlot } from '../forms.schema.ts'

export const shortcutSlot = idOrName.describe('id or internalName')
export const entityFormShortcutId = z.int()

export const shortcut = z.object({
  entityFormShortcutId,
  entityFormLayoutId: z.int().describe('Of the form'),
  internalName: z.string(),
  description: z.string(),
  isShared: z.boolean(),
  isSystem: z.boolean(),
  isApiVisible: z.boolean(),
  filterJson: z.string().describe('JSON text, with the names of today'),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
})

export const shortcutInput = z.object({
  internalName: newName('shortcut'),
  description: description.optional(),
  ...sharing,
  filterJson: z.union([definitionJson, z.array(z.looseObject({})).max(200)]).describe('filterRules as in list_form_records'),
})

export const exampleFilter = { rules: [{ property: 'DueDate', op: 'lt', value: 'today' }] }

export const exampleShortcut = {
  entityFormShortcutId: 10_230,
  entityFormLayoutId: 10_180,
  internalName: 'Overdue',
  description: 'What should be done by now',
  isShared: true,
  isSystem: false,
  isApiVisible: true,
  filterJson: JSON.stringify(exampleFilter),
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana',
  validation: null,
} satisfies z.input<typeof shortcut>

component('FormShortcut', shortcut)
