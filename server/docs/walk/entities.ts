import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const order = { internalName: entity, properties: [{ property: 'Title{{run}}' }, { property: 'Priority{{run}}' }] }
const task = 'Task{{run}}'
const technician = 'Technician{{run}}'

export const steps: readonly Step[] = [
  { operation: 'validate_entity', input: order },
  { operation: 'create_entity', input: order },
  { operation: 'list_entities' },
  { operation: 'update_entity', input: { entity, displays: [{ languageCode: 'en-US', name: 'Work order' }] } },
  { operation: 'set_entity_display', input: { entity, languageCode: 'es-ES', name: 'Orden de trabajo' } },
  { operation: 'attach_property', title: 'for files', input: { entity, property: 'Photo{{run}}' } },
  { operation: 'attach_property', title: 'for the text of a sign', input: { entity, property: 'SignText{{run}}' } },
  { operation: 'attach_property', input: { entity, property: 'Code{{run}}' } },
  {
    operation: 'describe_entity',
    input: { entity },
    keeps: {
      orderedIds: 'JSON.stringify(answer.properties.map((one) => one.entityPropertyId))',
      photoEntityPropertyId: 'answer.properties[2].entityPropertyId',
      codeEntityPropertyId: 'answer.properties[4].entityPropertyId',
    },
  },
  {
    operation: 'update_entity_property',
    input: { entity, entityPropertyId: '{{codeEntityPropertyId}}', isRequired: false },
  },
  { operation: 'reorder_entity_properties', input: { entity, entityPropertyIds: '{{#orderedIds}}' } },
  { operation: 'detach_property', input: { entity, entityPropertyId: '{{codeEntityPropertyId}}' } },
  { operation: 'create_entity', title: 'to be a child', input: { internalName: task, properties: [{ property: 'Title{{run}}' }] } },
  { operation: 'attach_child_entity', input: { entity, childEntity: task } },
  { operation: 'list_entity_relationships', input: { entity } },
  { operation: 'get_entity_usage', input: { entity: task } },
  { operation: 'detach_child_entity', input: { entity, childEntity: task } },
  { operation: 'attach_peer_entity', input: { entity, peerEntity: task } },
  { operation: 'detach_peer_entity', input: { entity, peerEntity: task } },
  { operation: 'clone_entity', input: { entity, internalName: 'Copy{{run}}' } },
  { operation: 'delete_entity', input: { entity: 'Copy{{run}}' } },
  { operation: 'create_entity', title: 'of people', input: { internalName: technician, properties: [{ property: 'Email{{run}}' }] } },
  {
    operation: 'set_entity_identity_bridge',
    input: { entity: technician, isTenantUserRole: true, identityEmailProperty: 'Email{{run}}' },
  },
  { operation: 'list_identity_links', input: { entity: technician } },
  {
    operation: 'set_entity_access',
    input: { entity: technician, rules: [{ role: 'DataView', read: true, create: true, edit: true, delete: true }] },
  },
  { operation: 'get_entity_access', input: { entity: technician } },
  { operation: 'set_entity_access', title: 'to open it again', input: { entity: technician, rules: [] } },
]
