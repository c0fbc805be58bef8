/** Entities as children and peers of one another. */
import { describe, expect, it } from 'vitest'

import { entityArrangements } from './support/entities.ts'
import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
const { entityWith, save, idOf } = entityArrangements(world)

describe('children and peers', () => {
  it('a child stands under its parent, shown from both sides, and keeps both from being deleted', async () => {
    const [parent, child] = [await entityWith(), await entityWith()]
    const shown = await world.call('attach_child_entity', { entity: parent, childEntity: child.toUpperCase(), isRequired: true })
    expect(shown).toMatchObject({ childEntityInternalName: child, isRequired: true, isList: true, propertyId: null })
    const relations = await world.call('list_entity_relationships', { entity: child })
    expect(relations).toMatchObject({ parents: [{ internalName: parent, isRequired: true, isList: true }], children: [], peers: [] })
    expect((await world.call('get_entity_usage', { entity: parent })).entities).toMatchObject([{ internalName: child, relation: 'child' }])
    expect((await refusal('attach_child_entity', { entity: parent, childEntity: child })).code).toBe('already_exists')
    expect((await refusal('delete_entity', { entity: child })).code).toBe('conflict')
    expect((await refusal('delete_entity', { entity: parent })).message).toContain(child)
    const unknown = await refusal('attach_child_entity', { entity: parent, childEntity: `${child}x` })
    expect(unknown).toMatchObject({ code: 'unknown_entity', status: 400 })
    expect(unknown.issues?.[0]).toMatchObject({ path: '$.childEntity', suggestion: child })
    await world.call('detach_child_entity', { entity: parent, childEntity: child })
    expect((await refusal('detach_child_entity', { entity: parent, childEntity: child })).code).toBe('not_found')
    await world.call('delete_entity', { entity: child })
  })

  it('what records stand under decides what may change', async () => {
    const [parent, child] = [await entityWith(), await entityWith()]
    await world.call('attach_child_entity', { entity: parent, childEntity: child })
    await save(parent, 'p')
    await save(child, 'orphan')
    const entityPropertyId = await idOf(parent, child)
    expect((await refusal('update_entity_property', { entity: parent, entityPropertyId, isRequired: true })).code).toBe('conflict')
    await save(child, 'orphan', {}, { parentKey1: 'p' })
    expect(await world.call('update_entity_property', { entity: parent, entityPropertyId, isRequired: true })).toMatchObject({
      isRequired: true,
    })
    expect((await refusal('save_instance', { entity: child, key1: 'lost', data: {} })).status).toBe(400)
    await save(child, 'second', {}, { parentKey1: 'p' })
    expect((await refusal('update_entity_property', { entity: parent, entityPropertyId, isList: false })).code).toBe('conflict')
    expect((await refusal('detach_child_entity', { entity: parent, childEntity: child })).code).toBe('conflict')
    await world.call('delete_instance', { entity: child, record: 'second' })
    expect(await world.call('update_entity_property', { entity: parent, entityPropertyId, isList: false })).toMatchObject({ isList: false })
    await world.call('delete_instance', { entity: child, record: 'orphan' })
    await world.call('detach_child_entity', { entity: parent, childEntity: child })
    expect((await world.call('list_entity_relationships', { entity: child })).parents).toEqual([])
  })

  it('an entity may be its own child, but cannot need a parent of its own kind', async () => {
    const entity = await entityWith()
    expect(pathsOf(await refusal('attach_child_entity', { entity, childEntity: entity, isRequired: true }))).toEqual(['$.isRequired'])
    await world.call('attach_child_entity', { entity, childEntity: entity })
    expect(await world.call('list_entity_relationships', { entity })).toMatchObject({
      parents: [{ internalName: entity }],
      children: [{ internalName: entity }],
    })
    await world.call('delete_entity', { entity })
  })

  it('peers are the same from either side', async () => {
    const [a, b] = [await entityWith(), await entityWith()]
    expect(await world.call('attach_peer_entity', { entity: a, peerEntity: b })).toMatchObject({
      internalName: b,
      isList: true,
      isRequired: false,
    })
    expect((await refusal('attach_peer_entity', { entity: b, peerEntity: a })).code).toBe('already_exists')
    expect((await world.call('list_entity_relationships', { entity: b })).peers).toMatchObject([{ internalName: a }])
    await world.call('attach_peer_entity', { entity: a, peerEntity: a })
    await world.call('detach_peer_entity', { entity: b, peerEntity: a })
    expect((await world.call('list_entity_relationships', { entity: a })).peers).toMatchObject([{ internalName: a }])
    expect((await refusal('detach_peer_entity', { entity: a, peerEntity: b })).code).toBe('not_found')
  })
})
