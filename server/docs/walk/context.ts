import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const context = 'OrderForCustomer{{run}}'
const reports = [{ name: 'priorities', report: 'ByPriority{{run}}', params: { since: '[[$today]]' } }]
const definition = { internalName: context, entity, includes: [], reports, user: true }

export const steps: readonly Step[] = [
  { operation: 'save_instance', title: 'to be told of', input: { entity, key1: 'WO-9', data: { 'Title{{run}}': 'Check the pump' } } },
  { operation: 'validate_context', input: definition },
  { operation: 'create_context', input: definition },
  { operation: 'list_contexts' },
  { operation: 'get_context', input: { context } },
  { operation: 'update_context', input: { context, displays: [{ languageCode: 'en-US', name: 'An order, for its customer' }] } },
  { operation: 'list_context_tokens', input: { context, pageSize: 20 } },
  { operation: 'hydrate_context', input: { context, key1: 'WO-9' } },
  {
    operation: 'resolve_tokens',
    input: {
      context,
      key1: 'WO-9',
      text: `[[${entity}.key1]]: [[${entity}.Title{{run}}|upper]], [[priorities|count]] priorities, [[$today|date:long]]`,
    },
  },
  { operation: 'delete_context', input: { context } },
  { operation: 'delete_instance_by_key', title: 'that was told of', input: { entity, key1: 'WO-9' } },
]
