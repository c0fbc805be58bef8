import type { Step } from './step.ts'

const subscriptionId = '{{subscriptionId}}'

export const steps: readonly Step[] = [
  { operation: 'list_event_kinds', input: { kind: 'record' } },
  { operation: 'list_events', input: { kinds: ['record.created'], pageSize: 5 } },
  {
    operation: 'create_event_subscription',
    input: { internalName: 'Hook{{run}}', url: 'https://hooks.invalid/{{run}}', kinds: ['user.created'] },
    keeps: { subscriptionId: 'answer.subscriptionId' },
  },
  { operation: 'list_event_subscriptions' },
  { operation: 'test_event_subscription', input: { subscriptionId, timeoutSeconds: 0 }, keeps: { deliveryId: 'answer.deliveryId' } },
  { operation: 'list_event_deliveries', input: { pageSize: 5 } },
  { operation: 'redeliver_event', input: { deliveryId: '{{deliveryId}}' } },
  { operation: 'rotate_event_subscription_secret', input: { subscriptionId } },
  { operation: 'update_event_subscription', input: { subscriptionId, isEnabled: false } },
  { operation: 'delete_event_subscription', input: { subscriptionId } },
]
