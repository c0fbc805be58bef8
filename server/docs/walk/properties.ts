import type { Step } from './step.ts'

const property = 'Priority{{run}}'
const priority = {
  internalName: property,
  dataType: 'Choice',
  displays: [{ languageCode: 'en-US', name: 'Priority' }],
  propertyOptions: [{ internalName: 'Low' }, { internalName: 'High' }],
}

export const steps: readonly Step[] = [
  { operation: 'validate_property', input: priority },
  { operation: 'create_property', input: priority, keeps: { priorityId: 'answer.propertyId' } },
  { operation: 'list_properties' },
  { operation: 'describe_property', input: { property } },
  { operation: 'update_property', input: { property, isSensitive: false } },
  { operation: 'set_property_display', input: { property, languageCode: 'es-ES', name: 'Prioridad' } },
  { operation: 'lock_property_translation', input: { property, languageCode: 'es-ES', isLocked: true } },
  { operation: 'save_property_option', input: { property, internalName: 'Urgent' } },
  {
    operation: 'list_property_options',
    input: { property },
    keeps: {
      lowOptionId: "answer.find((one) => one.internalName === 'Low').optionId",
      highOptionId: "answer.find((one) => one.internalName === 'High').optionId",
      urgentOptionId: "answer.find((one) => one.internalName === 'Urgent').optionId",
    },
  },
  {
    operation: 'reorder_property_options',
    input: { property, optionIds: ['{{#urgentOptionId}}', '{{#highOptionId}}', '{{#lowOptionId}}'] },
  },
  { operation: 'delete_property_option', input: { property, optionId: '{{urgentOptionId}}' } },
  { operation: 'save_property_option_filter', input: { property, internalName: 'Calm', options: ['Low'] } },
  { operation: 'list_property_option_filters', input: { property } },
  { operation: 'test_property_value', input: { property, values: ['Low', 'Hihg'] } },
  { operation: 'get_property_usage', input: { property } },
  { operation: 'create_property', title: 'for titles', input: { internalName: 'Title{{run}}', dataType: 'Text' } },
  { operation: 'create_property', title: 'for the text of a sign', input: { internalName: 'SignText{{run}}', dataType: 'Text' } },
  { operation: 'create_property', title: 'for files', input: { internalName: 'Photo{{run}}', dataType: 'Attachment' } },
  {
    operation: 'create_property',
    title: 'for the e-mail of a person',
    input: { internalName: 'Email{{run}}', dataType: 'Text', isIdentityEmail: true },
  },
  { operation: 'create_property', title: 'to delete', input: { internalName: 'Spare{{run}}', dataType: 'Boolean' } },
  { operation: 'delete_property', input: { property: 'Spare{{run}}' } },
]
