/** Working calls of events. */
import type { Given, Stage } from '../arrange.ts'

/** Something that happened. */
async function saved({ call, unique }: Stage): Promise<void> {
  const entity = unique('Pump')
  await call('create_entity', { internalName: entity })
  await call('save_instance', { entity, key1: 'P-1', data: {} })
}

export const given: Given = {
  list_event_kinds: async () => ({ input: {} }),
  async list_events(stage) {
    await saved(stage)
    return { input: { kinds: ['record.created'] }, varying: ['at', 'by', 'timestamp', 'changeNo', 'eventId'] }
  },
}
