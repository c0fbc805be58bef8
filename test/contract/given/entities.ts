/** Working calls of the entity operations. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly entity: string
  readonly other: string
  readonly property: string
  /** Not attached yet. */
  readonly spare: string
  readonly entityPropertyId: number
}

async function made(stage: Stage): Promise<Made> {
  const { call, unique } = stage
  const property = unique('Email')
  const spare = unique('Note')
  const entity = unique('Technician')
  const other = unique('Visit')
  await call('create_property', { internalName: property, dataType: 'Text', isIdentityEmail: true })
  await call('create_property', { internalName: spare, dataType: 'Text' })
  await call('create_entity', { internalName: entity, properties: [{ property }] })
  await call('create_entity', { internalName: other })
  const detail = (await call('describe_entity', { entity })) as { properties: { entityPropertyId: number }[] }
  return { entity, other, property, spare, entityPropertyId: detail.properties[0]?.entityPropertyId ?? 0 }
}

export const given: Given = {
  async list_entities(stage) {
    await made(stage)
    return { input: {} }
  },
  describe_entity: async (stage) => ({ input: { entity: (await made(stage)).entity } }),
  async create_entity(stage) {
    const { spare } = await made(stage)
    return { input: { internalName: stage.unique('Order'), properties: [{ property: spare, isRequired: true }] } }
  },
  update_entity: async (stage) => ({ input: { entity: (await made(stage)).entity, categoryId: 1 } }),
  delete_entity: async (stage) => ({ input: { entity: (await made(stage)).other } }),
  set_entity_display: async (stage) => ({ input: { entity: (await made(stage)).entity, languageCode: 'es-ES', name: 'Técnico' } }),
  clone_entity: async (stage) => ({ input: { entity: (await made(stage)).entity, internalName: stage.unique('Copy') } }),
  validate_entity: async (stage) => ({
    input: { internalName: stage.unique('Order'), properties: [{ property: (await made(stage)).spare }] },
  }),
  async get_entity_usage(stage) {
    const { entity, other } = await made(stage)
    await stage.call('attach_child_entity', { entity, childEntity: other })
    return { input: { entity } }
  },
  async attach_property(stage) {
    const { entity, spare } = await made(stage)
    return { input: { entity, property: spare } }
  },
  async update_entity_property(stage) {
    const { entity, entityPropertyId } = await made(stage)
    return { input: { entity, entityPropertyId, isRequired: true } }
  },
  async reorder_entity_properties(stage) {
    const { entity, entityPropertyId } = await made(stage)
    return { input: { entity, entityPropertyIds: [entityPropertyId] } }
  },
  async detach_property(stage) {
    const { entity, entityPropertyId } = await made(stage)
    return { input: { entity, entityPropertyId } }
  },
  async attach_child_entity(stage) {
    const { entity, other } = await made(stage)
    return { input: { entity, childEntity: other } }
  },
  async detach_child_entity(stage) {
    const { entity, other } = await made(stage)
    await stage.call('attach_child_entity', { entity, childEntity: other })
    return { input: { entity, childEntity: other } }
  },
  async attach_peer_entity(stage) {
    const { entity, other } = await made(stage)
    return { input: { entity, peerEntity: other } }
  },
  async detach_peer_entity(stage) {
    const { entity, other } = await made(stage)
    await stage.call('attach_peer_entity', { entity, peerEntity: other })
    return { input: { entity, peerEntity: other } }
  },
  list_entity_relationships: async (stage) => ({ input: { entity: (await made(stage)).entity } }),
  async set_entity_identity_bridge(stage) {
    const { entity, property } = await made(stage)
    return { input: { entity, isTenantUserRole: true, identityEmailProperty: property } }
  },
  get_entity_access: async (stage) => ({ input: { entity: (await made(stage)).entity } }),
  async set_entity_access(stage) {
    const { entity, property } = await made(stage)
    const everything = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    return { input: { entity, rules: [everything, { role: 'DataView', read: true, hidden: [property] }] } }
  },
  async list_identity_links(stage) {
    const { entity, property } = await made(stage)
    await stage.call('set_entity_identity_bridge', { entity, isTenantUserRole: true, identityEmailProperty: property })
    return { input: { entity } }
  },
}
