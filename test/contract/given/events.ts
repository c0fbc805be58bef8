/** Working calls of events. */
import type { Given, Stage } from '../arrange.ts'

/** Something that happened. */
async function saved({ call, unique }: Stage): Promise<void> {
  const entity = unique('Pump')
  await call('create_entity', { internalName: entity })
  await call('save_instance', { entity, key1: 'P-1', data: {} })
}

const url = 'https://hooks.invalid/contract'

async function subscribed({ call, unique }: Stage): Promise<{ subscriptionId: number }> {
  return call('create_event_subscription', { internalName: unique('Hook'), url, kinds: ['user.created'] })
}

/** A sample that nobody sends here: it waits. */
async function delivered(stage: Stage): Promise<{ subscriptionId: number; deliveryId: number }> {
  const { subscriptionId } = await subscribed(stage)
  return stage.call('test_event_subscription', { subscriptionId, timeoutSeconds: 0 })
}

export const given: Given = {
  create_event_subscription: async ({ unique }) => ({
    input: { internalName: unique('Hook'), url, kinds: ['user.created'] },
    varying: ['secret', 'tenantUserId'],
  }),
  async list_event_subscriptions(stage) {
    await subscribed(stage)
    return { input: {}, varying: ['tenantUserId'] }
  },
  async update_event_subscription(stage) {
    const { subscriptionId } = await subscribed(stage)
    return { input: { subscriptionId, internalName: stage.unique('Hook') }, varying: ['tenantUserId'] }
  },
  async delete_event_subscription(stage) {
    const { subscriptionId } = await subscribed(stage)
    return { input: { subscriptionId } }
  },
  async rotate_event_subscription_secret(stage) {
    const { subscriptionId } = await subscribed(stage)
    return { input: { subscriptionId }, varying: ['secret', 'formerUntil'] }
  },
  async test_event_subscription(stage) {
    const { subscriptionId } = await subscribed(stage)
    return { input: { subscriptionId, timeoutSeconds: 0 }, varying: ['eventId'] }
  },
  async list_event_deliveries(stage) {
    await delivered(stage)
    return { input: {}, varying: ['eventId'] }
  },
  async redeliver_event(stage) {
    const { deliveryId } = await delivered(stage)
    return { input: { deliveryId }, varying: ['eventId'] }
  },
  list_event_kinds: async () => ({ input: {} }),
  async list_events(stage) {
    await saved(stage)
    return { input: { kinds: ['record.created'] }, varying: ['at', 'by', 'timestamp', 'changeNo', 'eventId'] }
  },
}
