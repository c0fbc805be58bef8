/** Working calls of the record operations. */
import type { Given, Stage } from '../arrange.ts'

/** An entity with a text, a number and a choice. */
async function entityOf(stage: Stage): Promise<string> {
  const { call, unique } = stage
  const title = unique('Title')
  const amount = unique('Amount')
  const status = unique('Status')
  const entity = unique('Order')
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_property', { internalName: amount, dataType: 'Number' })
  await call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'done' }],
  })
  await call('create_entity', { internalName: entity, properties: [{ property: title }, { property: amount }, { property: status }] })
  return entity
}

async function recordOf(stage: Stage): Promise<{ entity: string; record: string; key1: string }> {
  const entity = await entityOf(stage)
  const saved = await stage.call('save_instance', { entity, key1: 'K-1', data: {} })
  return { entity, record: String(saved.eiRecordId), key1: 'K-1' }
}

/** A record under another, and one more that it could stand under. */
async function familyOf(stage: Stage): Promise<{ entity: string; child: string; parent: string; other: number; record: string }> {
  const { call, unique } = stage
  const { entity, record: parent } = await recordOf(stage)
  const other = await call('save_instance', { entity, key1: 'K-2', data: {} })
  const child = unique('Log')
  await call('create_entity', { internalName: child })
  await call('attach_child_entity', { entity, childEntity: child, isList: true })
  const saved = await call('save_instance', { entity: child, key1: 'L-1', parentEIRecordId: Number(parent), data: {} })
  return { entity, child, parent, other: other.eiRecordId, record: String(saved.eiRecordId) }
}

/** A record that may be linked with another, and is. */
async function peersOf(stage: Stage) {
  const { entity, record } = await recordOf(stage)
  const peerEntity = stage.unique('Peer')
  await stage.call('create_entity', { internalName: peerEntity })
  await stage.call('attach_peer_entity', { entity, peerEntity })
  const { eiRecordId } = await stage.call('save_instance', { entity: peerEntity, key1: 'P-1', data: {} })
  const named = { entity, record, peerEntity }
  await stage.call('link_peer_instances', { ...named, eiRecordIds: [eiRecordId] })
  return { named, eiRecordIds: [eiRecordId] }
}

export const given: Given = {
  save_instance: async (stage) => ({ input: { entity: await entityOf(stage), key1: 'K-1', data: {} } }),
  validate_instance: async (stage) => ({ input: { entity: await entityOf(stage), key1: 'K-1', data: {} } }),
  async upsert_instance(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record, data: {}, importMode: 'overwrite' } }
  },
  async get_instance(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record } }
  },
  async get_instance_by_key(stage) {
    const { entity, key1 } = await recordOf(stage)
    return { input: { entity, key1 } }
  },
  async list_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity, sort: [{ property: 'modifiedDate', direction: 'desc' }] } }
  },
  async count_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity } }
  },
  async search_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { query: 'K-1', entities: [entity] } }
  },
  async aggregate_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity, aggregates: [{ fn: 'COUNT', alias: 'n' }] } }
  },
  async list_child_instances(stage) {
    const { entity, child, parent } = await familyOf(stage)
    return { input: { entity, record: parent, childEntity: child } }
  },
  async set_instance_parent(stage) {
    const { child, record, other } = await familyOf(stage)
    return { input: { entity: child, record, parentEIRecordId: other } }
  },
  save_instances_bulk: async (stage) => ({
    input: {
      entity: await entityOf(stage),
      rows: [
        { key1: 'A', data: {} },
        { key1: 'B', data: {} },
      ],
    },
  }),
  async import_instances(stage) {
    const entity = await entityOf(stage)
    const asset = await stage.call('upload_asset', { fileName: 'rows.csv', contentBase64: Buffer.from('key1\nA\nB\n').toString('base64') })
    return { input: { entity, assetKey: asset.assetKey } }
  },
  async export_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity, format: 'csv' } }
  },
  async update_instances_by_filter(stage) {
    const { entity } = await recordOf(stage)
    const { properties } = await stage.call('describe_entity', { entity })
    return { input: { entity, filterRules: [], data: { [properties[1].propertyInternalName]: 5 } } }
  },
  async delete_instance(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record } }
  },
  async delete_instance_by_key(stage) {
    const { entity, key1 } = await recordOf(stage)
    return { input: { entity, key1 } }
  },
  async delete_instance_by_external_key(stage) {
    const { entity, key1 } = await recordOf(stage)
    return { input: { entity, externalKey: key1 } }
  },
  async delete_instances_bulk(stage) {
    const { entity, key1 } = await recordOf(stage)
    return { input: { entity, keys: [{ key1 }] } }
  },
  async wipe_instances(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity, confirmation: entity } }
  },
  async link_peer_instances(stage) {
    const { named, eiRecordIds } = await peersOf(stage)
    return { input: { ...named, eiRecordIds } }
  },
  async unlink_peer_instances(stage) {
    const { named } = await peersOf(stage)
    const { eiRecordId } = await stage.call('save_instance', { entity: named.peerEntity, key1: 'P-2', data: {} })
    return { input: { ...named, eiRecordIds: [eiRecordId] } }
  },
  async list_peer_instances(stage) {
    const { named } = await peersOf(stage)
    return { input: named }
  },
  async restore_instance(stage) {
    const { entity, record } = await recordOf(stage)
    await stage.call('delete_instance', { entity, record })
    return { input: { entity, record } }
  },
  async revert_instance(stage) {
    const { entity, record } = await recordOf(stage)
    await stage.call('upsert_instance', { entity, record, key2: 'K-2', data: {} })
    return { input: { entity, record, version: 1 } }
  },
  async get_instance_history(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record } }
  },
  async get_instance_as_of(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record, utc: '2999-01-01T00:00:00Z' } }
  },
  async list_instances_as_of(stage) {
    const { entity } = await recordOf(stage)
    return { input: { entity, asOfDate: '2999-01-01T00:00:00Z' } }
  },
  async get_instance_variance(stage) {
    const { entity, record } = await recordOf(stage)
    return { input: { entity, record } }
  },
  async list_instances_changed_since(stage) {
    const { entity } = await recordOf(stage)
    await stage.world.settled()
    return { input: { entity }, varying: ['watermark'] }
  },
  async list_instances_deleted_since(stage) {
    const { entity, record } = await recordOf(stage)
    await stage.call('delete_instance', { entity, record })
    await stage.world.settled()
    return { input: { entity }, varying: ['watermark'] }
  },
}
