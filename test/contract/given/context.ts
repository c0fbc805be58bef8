/** Working calls of the context operations. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly entity: string
  readonly definition: Record<string, unknown>
}

/** An entity with a child, and what a context of it says. */
async function made(stage: Stage): Promise<Made> {
  const { call, unique } = stage
  const title = unique('Title')
  const entity = unique('Order')
  const visit = unique('Visit')
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_entity', { internalName: entity, properties: [{ property: title }] })
  await call('create_entity', { internalName: visit, properties: [{ property: title }] })
  await call('attach_child_entity', { entity, childEntity: visit })
  const includes = [{ name: 'visits', via: { child: visit }, properties: [title], limit: 5 }]
  const report = unique('OrderReport')
  const filters = [{ property: 'key1', op: 'eq', value: '[[$param.key]]' }]
  const parameters = [{ name: 'key', dataType: 'Text' }]
  await call('create_report', { internalName: report, definitionJson: { primaryEntityId: entity, filters, parameters } })
  const reports = [{ name: 'rows', report, params: { key: `[[${entity}.key1]]` } }]
  return { entity, definition: { internalName: unique('OrderContext'), entity, includes, reports } }
}

async function created(stage: Stage): Promise<{ context: string; eiRecordId: number; entity: string }> {
  const { entity, definition } = await made(stage)
  const { internalName } = await stage.call('create_context', definition)
  const { eiRecordId } = await stage.call('save_instance', { entity, key1: 'K-1', data: {} })
  return { context: internalName, eiRecordId, entity }
}

export const given: Given = {
  async list_contexts(stage) {
    await created(stage)
    return { input: {} }
  },
  get_context: async (stage) => ({ input: { context: (await created(stage)).context } }),
  create_context: async (stage) => ({ input: (await made(stage)).definition }),
  update_context: async (stage) => ({ input: { context: (await created(stage)).context, user: true } }),
  delete_context: async (stage) => ({ input: { context: (await created(stage)).context } }),
  validate_context: async (stage) => ({ input: (await made(stage)).definition }),
  list_context_tokens: async (stage) => ({ input: { context: (await created(stage)).context } }),
  async hydrate_context(stage) {
    const { context, eiRecordId } = await created(stage)
    return { input: { context, eiRecordId }, varying: ['asOfUtc'] }
  },
  async resolve_tokens(stage) {
    const { context, eiRecordId, entity } = await created(stage)
    return { input: { context, eiRecordId, text: `[[${entity}.key1]] has [[visits|count]] visits, [[rows|count]] rows` } }
  },
}
