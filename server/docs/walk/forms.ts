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

export const steps: readonly Step[] = [{ operation: 'validate_form', input: { entity, layoutJson } }]
