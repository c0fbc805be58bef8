import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const layoutJson = {
  sections: [
    {
      type: 'detail',
      name: 'work',
      fields: [
        { property: 'Title{{run}}', required: true },
        { property: 'Priority{{run}}', control: 'radio' },
      ],
    },
  ],
}

const form = 'OrderForm{{run}}'

export const steps: readonly Step[] = [
  { operation: 'validate_form', input: { entity, layoutJson } },
  { operation: 'create_form', input: { entity, internalName: form, layoutJson, isShared: true } },
  { operation: 'list_forms', input: {} },
  { operation: 'list_entity_forms', input: { entity } },
  { operation: 'get_form', input: { form } },
  { operation: 'update_form', input: { form, layoutJson: { ...layoutJson, pages: 'section' }, expectedLayoutVersion: 1 } },
  { operation: 'list_form_versions', input: { form } },
  { operation: 'restore_form_version', input: { form, version: 1 } },
  { operation: 'clone_form', input: { form, internalName: 'FormCopy{{run}}' } },
  { operation: 'delete_form', input: { form: 'FormCopy{{run}}' } },
]
