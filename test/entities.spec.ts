import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { entityLockKey } from '#platform/db/entity-lock.ts'

import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

async function textProperty(more: Record<string, unknown> = {}): Promise<string> {
  const internalName = unique('Text')
  await world.call('create_property', { internalName, dataType: 'Text', ...more })
  return internalName
}

/** An entity with these properties attached. */
async function entityWith(...properties: (string | Record<string, unknown>)[]): Promise<string> {
  const internalName = unique('Thing')
  await world.call('create_entity', {
    internalName,
    properties: properties.map((property) => (typeof property === 'string' ? { property } : property)),
  })
  return internalName
}

const save = (entity: string, key1: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  world.call('save_instance', { entity, key1, data, ...more })

async function elements(entity: string) {
  return (await world.call('describe_entity', { entity })).properties as {
    entityPropertyId: number
    propertyInternalName: string | null
    childEntityInternalName: string | null
    position: number
    isRequired: boolean
    isList: boolean
    keyPart: number | null
  }[]
}

const namesOf = async (entity: string) => (await elements(entity)).map((one) => one.propertyInternalName ?? one.childEntityInternalName)

async function idOf(entity: string, name: string): Promise<number> {
  const found = (await elements(entity)).find((one) => one.propertyInternalName === name || one.childEntityInternalName === name)
  if (!found) throw new Error(`${entity} has no ${name}`)
  return found.entityPropertyId
}

describe('creating an entity', () => {
  it('answers its list row, and shows what it is composed of, in order', async () => {
    const [code, note] = [await textProperty(), await textProperty({ isSensitive: true })]
    const internalName = unique('Site')
    const row = await world.call('create_entity', {
      internalName,
      displays: [{ name: 'Site', description: 'A place' }],
      categoryId: 3,
      verticalId: 2,
      properties: [
        { property: code.toUpperCase(), isRequired: true, keyPart: 1 },
        { property: note, isList: true },
      ],
    })
    expect(row).toMatchObject({
      internalName,
      name: 'Site',
      description: 'A place',
      propertyCount: 2,
      categoryId: 3,
      verticalId: 2,
      globalSourceId: null,
    })
    expect(row.displays).toEqual([{ languageRegionId: 1, name: 'Site', description: 'A place' }])
    expect(await world.call('list_entities')).toContainEqual(row)
    const detail = await world.call('describe_entity', { entity: internalName.toLowerCase() })
    expect(detail.entity).toMatchObject({ entityId: row.entityId, internalName, name: 'Site', description: 'A place' })
    expect(detail.properties).toMatchObject([
      {
        propertyInternalName: code,
        dataTypeId: 5,
        isRequired: true,
        isList: false,
        keyPart: 1,
        position: 1,
        childEntityId: null,
        propertyOptionFilterId: null,
      },
      { propertyInternalName: note, isRequired: false, isList: true, keyPart: null, position: 2, isSensitive: true },
    ])
    expect(await world.call('describe_entity', { entity: row.entityId })).toEqual(detail)
  })

  it('refuses an unknown property by its own code, with the nearest name', async () => {
    const property = await textProperty()
    const error = await refusal('create_entity', { internalName: unique('Bad'), properties: [{ property: `${property}x` }] })
    expect(error).toMatchObject({ code: 'unknown_property', status: 400 })
    expect(error.issues).toMatchObject([{ path: '$.properties[0].property', suggestion: property }])
  })

  it('names every mistake at once', async () => {
    const [a, b] = [await textProperty(), await textProperty()]
    const photo = unique('Photo')
    await world.call('create_property', { internalName: photo, dataType: 'Attachment' })
    const error = await refusal('create_entity', {
      internalName: unique('Bad'),
      categoryId: 99_999,
      properties: [{ property: a, keyPart: 1 }, { property: b, keyPart: 1 }, { property: a }, { property: photo, keyPart: 2 }],
    })
    expect(pathsOf(error)).toEqual(['$.categoryId', '$.properties[1].keyPart', '$.properties[2].property', '$.properties[3].keyPart'])
  })

  it.each(['list', 'VALIDATE'])('refuses the name %s, which stands in a path', async (internalName) => {
    expect(pathsOf(await refusal('create_entity', { internalName }))).toEqual(['$.internalName'])
  })

  it('refuses a name that is taken, whatever its case', async () => {
    const entity = await entityWith()
    expect((await refusal('create_entity', { internalName: entity.toUpperCase() })).code).toBe('already_exists')
    expect((await refusal('clone_entity', { entity, internalName: entity.toLowerCase() })).code).toBe('already_exists')
  })

  it('can be checked beforehand, without writing', async () => {
    const property = await textProperty()
    const internalName = unique('Checked')
    const checked = await world.call('validate_entity', { internalName, properties: [{ property: `${property}q` }, { propertty: 1 }] })
    expect(checked).toMatchObject({ ok: false, valid: false })
    const both = await world.call('validate_entity', { internalName, properties: [{ property: `${property}q` }, { property, keyPart: 9 }] })
    expect(both.issues.map((issue: { path: string }) => issue.path)).toEqual(['$.properties[1].keyPart', '$.properties[0].property'])
    expect(await world.call('validate_entity', { internalName, properties: [{ property }] })).toEqual({ ok: true, valid: true, issues: [] })
    expect((await refusal('describe_entity', { entity: internalName })).code).toBe('not_found')
  })
})

describe('changing an entity', () => {
  it('changes what is named, and keeps displays in other languages', async () => {
    const entity = await entityWith()
    await world.call('set_entity_display', { entity, languageCode: 'es-ES', name: 'Cosa', description: 'Una' })
    const row = await world.call('update_entity', {
      entity,
      categoryId: 2,
      displays: [{ name: 'Thing' }, { languageCode: 'es-ES', name: 'Objeto' }],
    })
    expect(row).toMatchObject({ categoryId: 2, verticalId: null, name: 'Thing' })
    expect(row.displays).toEqual([
      { languageRegionId: 1, name: 'Thing', description: '' },
      { languageRegionId: 3, name: 'Objeto', description: 'Una' },
    ])
    expect((await world.call('describe_entity', { entity, languageCode: 'es-ES' })).entity.name).toBe('Objeto')
    expect((await world.call('update_entity', { entity, categoryId: null })).categoryId).toBeNull()
  })

  it('renames without touching a record', async () => {
    const property = await textProperty()
    const entity = await entityWith(property)
    const { eiRecordId, rowHash } = await save(entity, 'a', { [property]: 'x' })
    const internalName = unique('Renamed')
    await world.call('update_entity', { entity, internalName })
    expect((await refusal('get_instance', { entity, record: 'a' })).code).toBe('not_found')
    expect(await world.call('get_instance', { entity: internalName, record: 'a' })).toMatchObject({ eiRecordId, rowHash })
  })
})

describe('attaching and ordering properties', () => {
  it('attaches at the end or at a position, once', async () => {
    const [a, b, c] = [await textProperty(), await textProperty(), await textProperty()]
    const entity = await entityWith(a)
    expect(await world.call('attach_property', { entity, property: b, isList: true })).toMatchObject({
      propertyInternalName: b,
      position: 2,
      isList: true,
    })
    expect(await world.call('attach_property', { entity, property: c, position: 1 })).toMatchObject({ position: 1 })
    expect(await namesOf(entity)).toEqual([c, a, b])
    expect((await refusal('attach_property', { entity, property: a })).code).toBe('already_exists')
    expect((await refusal('attach_property', { entity, property: `${a}x` })).code).toBe('unknown_property')
  })

  it('orders properties and children together', async () => {
    const [a, b] = [await textProperty(), await textProperty()]
    const [entity, child] = [await entityWith(a, b), await entityWith()]
    await world.call('attach_child_entity', { entity, childEntity: child })
    const ids = [await idOf(entity, child), await idOf(entity, b)]
    const answer = await world.call('reorder_entity_properties', { entity, entityPropertyIds: ids })
    expect(answer.entityPropertyIds).toEqual([...ids, await idOf(entity, a)])
    expect(await namesOf(entity)).toEqual([child, b, a])
    expect(pathsOf(await refusal('reorder_entity_properties', { entity, entityPropertyIds: [ids[0], ids[0], 1] }))).toEqual([
      '$.entityPropertyIds[1]',
      '$.entityPropertyIds[2]',
    ])
  })

  it('stops at 300 properties', async () => {
    const prefix = unique('Many')
    const names = Array.from({ length: 301 }, (_, index) => `${prefix}_${index}`)
    await world.call('import_catalog', {
      properties: names.map((internalName) => ({ internalName, dataType: 'Boolean' })),
      entities: [{ internalName: prefix, properties: names.slice(0, 300).map((property) => ({ property })) }],
    })
    expect((await refusal('attach_property', { entity: prefix, property: names[300] })).code).toBe('conflict')
    expect(
      (await refusal('create_entity', { internalName: unique('Wide'), properties: names.map((property) => ({ property })) })).status,
    ).toBe(400)
  })

  it('attaches for every one of many callers at once, each in a place of its own', async () => {
    const properties = await Promise.all(Array.from({ length: 8 }, () => textProperty()))
    const entity = await entityWith()
    await Promise.all(properties.map((property) => world.call('attach_property', { entity, property })))
    const shown = await elements(entity)
    expect(new Set(shown.map((one) => one.propertyInternalName))).toEqual(new Set(properties))
    expect(shown.map((one) => one.position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})

describe('what records forbid', () => {
  it('a property is not required while records lack it', async () => {
    const [a, b] = [await textProperty(), await textProperty()]
    const entity = await entityWith(a)
    await save(entity, 'one', { [a]: 'x' })
    await save(entity, 'two')
    expect((await refusal('attach_property', { entity, property: b, isRequired: true })).code).toBe('conflict')
    const entityPropertyId = await idOf(entity, a)
    expect((await refusal('update_entity_property', { entity, entityPropertyId, isRequired: true })).code).toBe('conflict')
    await save(entity, 'two', { [a]: 'y' })
    expect(await world.call('update_entity_property', { entity, entityPropertyId, isRequired: true })).toMatchObject({ isRequired: true })
    expect((await refusal('save_instance', { entity, key1: 'three', data: {} })).status).toBe(400)
    await world.call('attach_property', { entity, property: b })
    expect((await refusal('update_entity_property', { entity, entityPropertyId: await idOf(entity, b), isRequired: true })).code).toBe(
      'conflict',
    )
  })

  it('a deleted record forbids nothing', async () => {
    const a = await textProperty()
    const entity = await entityWith(a)
    await save(entity, 'one')
    await world.call('delete_instance', { entity, record: 'one' })
    await world.call('update_entity_property', { entity, entityPropertyId: await idOf(entity, a), isRequired: true, keyPart: 1 })
    expect(await world.call('delete_entity', { entity })).toMatchObject({ deleted: true })
  })

  it('a key part is fixed by the first record', async () => {
    const [a, b] = [await textProperty(), await textProperty()]
    const entity = await entityWith(a, b)
    await world.call('update_entity_property', { entity, entityPropertyId: await idOf(entity, a), keyPart: 1 })
    expect((await refusal('update_entity_property', { entity, entityPropertyId: await idOf(entity, b), keyPart: 1 })).code).toBe('conflict')
    expect((await world.call('save_instance', { entity, data: { [a]: 'K1' } })).key1).toBe('K1')
    const change = { entity, entityPropertyId: await idOf(entity, b), keyPart: 2 }
    expect((await refusal('update_entity_property', change)).code).toBe('conflict')
    expect((await refusal('update_entity_property', { entity, entityPropertyId: await idOf(entity, a), keyPart: null })).code).toBe(
      'conflict',
    )
  })

  it('one becomes many with every value kept, now and in history', async () => {
    const a = await textProperty()
    const entity = await entityWith(a)
    await save(entity, 'r', { [a]: 'first' })
    await save(entity, 'r', { [a]: 'second' })
    await save(entity, 'none')
    const entityPropertyId = await idOf(entity, a)
    expect(await world.call('update_entity_property', { entity, entityPropertyId, isList: true })).toMatchObject({
      entityPropertyId,
      isList: true,
    })
    expect((await world.call('get_instance', { entity, record: 'r' })).data[a]).toEqual(['second'])
    expect((await world.call('get_instance', { entity, record: 'none' })).data[a]).toBeNull()
    const versions = await world.call('get_instance_history', { entity, record: 'r' })
    expect(versions.map((version: { data: Record<string, unknown> }) => version.data[a])).toEqual([['first'], ['second']])
    await save(entity, 'r', { [a]: ['second', 'third'] })
    expect((await world.call('list_instances', { entity, filterRules: [{ property: a, op: 'eq', value: 'third' }] })).length).toBe(1)
  })

  it('many becomes one only where no record holds two', async () => {
    const a = unique('Status')
    await world.call('create_property', {
      internalName: a,
      dataType: 'Choice',
      propertyOptions: [{ internalName: 'x' }, { internalName: 'y' }],
    })
    const entity = await entityWith({ property: a, isList: true })
    await save(entity, 'r', { [a]: ['x', 'y'] })
    await save(entity, 's', { [a]: ['y'] })
    const change = { entity, entityPropertyId: await idOf(entity, a), isList: false }
    expect((await refusal('update_entity_property', change)).code).toBe('conflict')
    await save(entity, 'r', { [a]: ['y'] })
    await world.call('update_entity_property', change)
    expect((await world.call('get_instance', { entity, record: 'r' })).data[a]).toBe('y')
    expect((await world.call('get_instance', { entity, record: 's' })).data[a]).toBe('y')
    const versions = await world.call('get_instance_history', { entity, record: 'r' })
    expect(versions.map((version: { data: Record<string, unknown> }) => version.data[a])).toEqual(['x', 'y'])
    expect((await save(entity, 't', { [a]: 'x' })).data[a]).toBe('x')
  })

  it('a property with values is detached only when these may go, and begins empty when attached again', async () => {
    const a = await textProperty()
    const entity = await entityWith(a)
    await save(entity, 'r', { [a]: 'old' })
    const entityPropertyId = await idOf(entity, a)
    expect((await refusal('detach_property', { entity, entityPropertyId })).code).toBe('conflict')
    expect(await world.call('detach_property', { entity, entityPropertyId, discardsValues: true })).toEqual({
      entityPropertyId,
      deleted: true,
    })
    expect((await refusal('detach_property', { entity, entityPropertyId })).code).toBe('not_found')
    expect((await world.call('get_instance', { entity, record: 'r' })).data).toEqual({})
    const again = await world.call('attach_property', { entity, property: a })
    expect(again.entityPropertyId).not.toBe(entityPropertyId)
    expect((await world.call('get_instance', { entity, record: 'r' })).data).toEqual({ [a]: null })
    await save(entity, 'r', { [a]: 'new' })
    expect((await world.call('get_instance', { entity, record: 'r' })).data).toEqual({ [a]: 'new' })
  })

  it('the target of an analysis is not detached', async () => {
    const text = await textProperty()
    const photo = unique('Photo')
    await world.call('create_property', { internalName: photo, dataType: 'Attachment' })
    const entity = await entityWith(photo, text)
    const analysis = { entity, entityPropertyId: await idOf(entity, photo) }
    await world.call('set_attachment_analysis', { ...analysis, ocr: true, targets: { text } })
    const detach = { entity, entityPropertyId: await idOf(entity, text) }
    expect((await refusal('detach_property', detach)).message).toContain(photo)
    await world.call('set_attachment_analysis', analysis)
    expect(await world.call('detach_property', detach)).toMatchObject({ deleted: true })
  })

  it('one or many is not changed in one call for more record versions than it can rewrite', async () => {
    const a = await textProperty()
    const entity = await entityWith(a)
    await save(entity, 'r', { [a]: 'x' })
    const { entityId } = (await world.call('describe_entity', { entity })).entity
    const table = `t_${world.tenant.tenantId}.e_${entityId}`
    await world.sql.unsafe(`
      insert into ${table} (id, row_hash, version, valid_from, created_at, created_change_no, change_no)
      select 1000000000 + n, '', 1, now(), now(), 1, 1 from generate_series(1, 50000) as n`)
    const change = { entity, entityPropertyId: await idOf(entity, a), isList: true }
    expect((await refusal('update_entity_property', change)).message).toContain('50,000')
    await world.sql.unsafe(`delete from ${table} where id = 1000000001`)
    await world.call('update_entity_property', change)
    expect((await world.call('get_instance', { entity, record: 'r' })).data[a]).toEqual(['x'])
  })

  it('an entity is not deleted while it has records', async () => {
    const entity = await entityWith()
    await save(entity, 'r')
    expect((await refusal('delete_entity', { entity })).code).toBe('conflict')
    await world.call('delete_instance', { entity, record: 'r' })
    await world.call('delete_entity', { entity })
    expect((await refusal('describe_entity', { entity })).code).toBe('not_found')
  })
})

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

describe('telling what to do instead', () => {
  it('keeps the target of an analysis as the analysis takes it', async () => {
    const photo = unique('Photo')
    await world.call('create_property', { internalName: photo, dataType: 'Attachment' })
    const text = await textProperty()
    const entity = await entityWith(photo, text)
    await world.call('set_attachment_analysis', { entity, entityPropertyId: await idOf(entity, photo), ocr: true, targets: { text } })
    const entityPropertyId = await idOf(entity, text)
    const error = await refusal('update_entity_property', { entity, entityPropertyId, isList: true })
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringMatching(`${photo}.*set_attachment_analysis`) })
    await world.call('update_entity_property', { entity, entityPropertyId, isRequired: false })
    await world.call('set_attachment_analysis', { entity, entityPropertyId: await idOf(entity, photo) })
    expect(await world.call('update_entity_property', { entity, entityPropertyId, isList: true })).toMatchObject({ isList: true })
  })

  it('sends whoever detaches a child entity as a property to detach_child_entity', async () => {
    const [parent, child] = [await entityWith(), await entityWith()]
    const { entityPropertyId } = await world.call('attach_child_entity', { entity: parent, childEntity: child })
    const error = await refusal('detach_property', { entity: parent, entityPropertyId })
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(`${child}.*detach_child_entity`) })
    expect(pathsOf(error)).toEqual(['$.entityPropertyId'])
    expect(await namesOf(parent)).toEqual([child])
  })

  it('takes a child element back as describe_entity shows it', async () => {
    const [parent, child] = [await entityWith(), await entityWith()]
    const made = await world.call('attach_child_entity', { entity: parent, childEntity: child })
    const { entityPropertyId, keyPart, propertyOptionFilterId, isList } = made
    const shown = { entity: parent, entityPropertyId, keyPart, propertyOptionFilterId, isList, isRequired: true }
    expect(await world.call('update_entity_property', shown)).toEqual({ ...made, isRequired: true })
    expect(pathsOf(await refusal('update_entity_property', { ...shown, keyPart: 1 }))).toEqual(['$.keyPart'])
  })

  it('says of an identity property that it is not attached, with the nearest that is', async () => {
    const email = await textProperty({ isIdentityEmail: true })
    const [entity, other] = [await entityWith(email), await entityWith()]
    const attach = await refusal('set_entity_identity_bridge', { entity: other, isTenantUserRole: true, identityEmailProperty: email })
    expect(attach).toMatchObject({ code: 'unknown_property', message: expect.stringMatching(/attach_property/) })
    const near = await refusal('set_entity_identity_bridge', { entity, isTenantUserRole: true, identityEmailProperty: `${email}x` })
    expect(near.issues?.[0]).toMatchObject({ path: '$.identityEmailProperty', suggestion: email })
  })

  it('refuses parents that would need each other, since none of their records could be saved', async () => {
    const [a, b, c] = [await entityWith(), await entityWith(), await entityWith()]
    await world.call('attach_child_entity', { entity: a, childEntity: b, isRequired: true })
    await world.call('attach_child_entity', { entity: b, childEntity: c, isRequired: true })
    const error = await refusal('attach_child_entity', { entity: c, childEntity: a, isRequired: true })
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/could never be saved/) })
    // Without it the tree has a place to begin.
    const { entityPropertyId } = await world.call('attach_child_entity', { entity: c, childEntity: a })
    expect(pathsOf(await refusal('update_entity_property', { entity: c, entityPropertyId, isRequired: true }))).toEqual(['$.isRequired'])
    const first = await save(a, 'first')
    await save(b, 'second', {}, { parentEIRecordId: first.eiRecordId })
    // And so it has where there is another parent to begin with.
    const free = await entityWith()
    await world.call('attach_child_entity', { entity: free, childEntity: a })
    expect(await world.call('update_entity_property', { entity: c, entityPropertyId, isRequired: true })).toMatchObject({
      isRequired: true,
    })
  })

  it('speaks of what it was asked: a selection is not saved', async () => {
    expect((await refusal('export_catalog', { entities: ['Nowhere'] })).message).toMatch(/^The export cannot be made\. /)
    expect((await refusal('browse_catalog', { vertical: 'Nowhere' })).message).toMatch(/^The filter cannot be applied\. /)
    const picture = unique('Picture')
    await world.call('create_property', { internalName: picture, dataType: 'Attachment' })
    const error = await refusal('create_entity', { internalName: unique('Thing'), properties: [{ property: picture, keyPart: 1 }] })
    expect(error.issues?.[0]?.message).toBe('An Attachment cannot be a part of the key.')
    expect((await refusal('create_property', { internalName: unique('P'), dataType: 'Attachment', maxDecimalPlaces: 2 })).message).toMatch(
      /the property is an Attachment/,
    )
  })
})

describe('deleting an entity', () => {
  it('takes its records out of reach, leaves their tables, and the operating guide tells which those are', async () => {
    const text = await textProperty()
    const entity = await entityWith(text)
    const { entityId, eiRecordId } = await save(entity, 'k', { [text]: 'one' })
    await save(entity, 'k', { [text]: 'two' })
    await world.call('delete_instance', { entity, record: 'k' })
    const guide = readFileSync('docs-corpus/guides/operating.md', 'utf8')
    const [, query = ''] = /## Tables of deleted entities[\s\S]*?```sql\n([\s\S]*?)```/.exec(guide) ?? []
    const left = async () => (await world.sql.unsafe<{ table: string }[]>(query)).map((row) => row.table)
    expect(await left()).not.toContain(`e_${entityId}`)
    await world.call('delete_entity', { entity })
    expect(await left()).toEqual(expect.arrayContaining([`e_${entityId}`, `e_${entityId}_history`]))
    await world.call('create_entity', { internalName: entity, properties: [{ property: text }] })
    for (const name of ['get_instance', 'get_instance_history'])
      expect((await refusal(name, { entity, record: String(eiRecordId) })).code).toBe('not_found')
    expect(await world.call('list_instances', { entity, includeDeleted: true })).toEqual([])
    expect(await save(entity, 'k', { [text]: 'anew' })).toMatchObject({ outcome: 'inserted' })
  })
})

describe('copying an entity', () => {
  it('copies properties, keys and displays, and relationships when told', async () => {
    const [a, b] = [await textProperty(), await textProperty()]
    const [entity, child] = [
      await entityWith({ property: a, isRequired: true, keyPart: 1 }, { property: b, isList: true }),
      await entityWith(),
    ]
    await world.call('set_entity_display', { entity, name: 'Original' })
    await world.call('set_entity_display', { entity, languageCode: 'es-ES', name: 'Original (es)' })
    await world.call('attach_child_entity', { entity, childEntity: child, isRequired: true })
    const row = await world.call('clone_entity', { entity, internalName: unique('Copy'), displays: [{ name: 'The copy' }] })
    expect(row).toMatchObject({ name: 'The copy', propertyCount: 2 })
    expect(row.displays.map((display: { name: string }) => display.name)).toEqual(['The copy', 'Original (es)'])
    expect(await elements(row.internalName)).toMatchObject([
      { propertyInternalName: a, isRequired: true, keyPart: 1 },
      { propertyInternalName: b, isList: true },
    ])
    const whole = await world.call('clone_entity', { entity, internalName: unique('Copy'), includesRelationships: true })
    expect(await namesOf(whole.internalName)).toEqual([a, b, child])
    expect((await world.call('list_entity_relationships', { entity: child })).parents).toHaveLength(2)
  })
})

describe('the bridge to users', () => {
  it('needs properties that are attached, flagged and single, and names the only one by itself', async () => {
    const [email, other, plain] = [
      await textProperty({ isIdentityEmail: true }),
      await textProperty({ isIdentityEmail: true }),
      await textProperty(),
    ]
    const entity = await entityWith(email, plain)
    const bridge = (more: Record<string, unknown>) => ({ entity, isTenantUserRole: true, ...more })
    expect((await refusal('set_entity_identity_bridge', bridge({ identityEmailProperty: other }))).code).toBe('unknown_property')
    expect(pathsOf(await refusal('set_entity_identity_bridge', bridge({ identityEmailProperty: plain })))).toEqual([
      '$.identityEmailProperty',
    ])
    expect(pathsOf(await refusal('set_entity_identity_bridge', bridge({ identityEmailProperty: null })))).toEqual([
      '$.identityEmailProperty',
    ])
    expect((await refusal('set_entity_identity_bridge', { entity, isTenantUserRole: false, identityEmailProperty: email })).status).toBe(
      400,
    )
    expect(await world.call('set_entity_identity_bridge', bridge({}))).toMatchObject({
      isTenantUserRole: true,
      identityEmailProperty: email,
      identityPhoneProperty: null,
    })
    const entityPropertyId = await idOf(entity, email)
    expect((await refusal('detach_property', { entity, entityPropertyId })).code).toBe('conflict')
    expect((await refusal('update_entity_property', { entity, entityPropertyId, isList: true })).code).toBe('conflict')
    expect((await refusal('update_property', { property: email, isIdentityEmail: false })).code).toBe('conflict')
    await world.call('set_entity_identity_bridge', { entity, isTenantUserRole: false })
    await world.call('update_property', { property: email, isIdentityEmail: false })
  })

  it('shows the users behind records page by page, and drops the links when it ends', async () => {
    const email = await textProperty({ isIdentityEmail: true })
    const entity = await entityWith(email)
    await world.call('set_entity_identity_bridge', { entity, isTenantUserRole: true })
    const { entityId } = (await world.call('describe_entity', { entity })).entity
    const { tenantId } = world.tenant
    const { tenantUserId } = await world.call('create_user', { email: 'behind@example.com' })
    for (const record of [101, 102, 103]) {
      await world.sql`
        insert into platform.identity_claim (tenant_id, entity_id, ei_record_id, email, claimed_at) values (${tenantId}, ${entityId}, ${record}, 'behind@example.com', now())`
    }
    const first = (await world.run('list_identity_links', { entity, pageSize: 2 })) as {
      items: { eiRecordId: number; matchedBy: string }[]
      nextCursor: string
      totalCount: number
    }
    expect(first).toMatchObject({
      totalCount: 3,
      items: [{ eiRecordId: 101, entityId, tenantUserId, matchedBy: 'email' }, { eiRecordId: 102 }],
    })
    const second = await world.run('list_identity_links', { entity, pageSize: 2, cursor: first.nextCursor })
    expect(second).toMatchObject({ items: [{ eiRecordId: 103 }] })
    expect(second).not.toHaveProperty('nextCursor')
    expect(
      (await world.call('list_identity_links', { entity, page: 2, pageSize: 2 })).map((link: { eiRecordId: number }) => link.eiRecordId),
    ).toEqual([103])
    expect((await refusal('list_identity_links', { entity, cursor: 'WyJ4Il0' })).status).toBe(400)
    await world.call('set_entity_identity_bridge', { entity, isTenantUserRole: false })
    expect(await world.call('list_identity_links', { entity })).toEqual([])
  })
})

describe('changes of definitions beside writers', () => {
  it('raise the catalog version with each change that commits, and with none that is refused', async () => {
    const { tenantId, key } = await world.newTenant()
    const version = async () => {
      const [row] = await world.sql<
        { version: number }[]
      >`select catalog_version::int as version from platform.tenant where tenant_id = ${tenantId}`
      return row?.version
    }
    const before = (await version()) ?? 0
    await world.call('create_entity', { internalName: 'Alone' }, { key })
    expect(await version()).toBe(before + 1)
    expect((await refusal('create_entity', { internalName: 'Alone' }, key)).code).toBe('already_exists')
    expect(await version()).toBe(before + 1)
  })

  it('wait for whoever writes the entity, and go on the moment he is done', async () => {
    const property = await textProperty()
    const entity = await entityWith()
    const { entityId } = (await world.call('describe_entity', { entity })).entity
    let attached: Promise<unknown> = Promise.resolve()
    let isDone = false
    await world.sql.begin(async (writer) => {
      await writer`select pg_advisory_xact_lock_shared(${entityLockKey(world.tenant.tenantId, entityId)}::text::bigint)`
      attached = world.call('attach_property', { entity, property }).then(() => (isDone = true))
      // The change has tried at least once when its wait is seen from here.
      await expect
        .poll(
          async () =>
            (await world.sql`select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted`).length,
          { timeout: 5_000 },
        )
        .toBe(1)
      expect(isDone).toBe(false)
    })
    await attached
    expect(await namesOf(entity)).toEqual([property])
  })

  it('give up with 503 beside a writer who never ends, and change nothing', async () => {
    const property = await textProperty()
    const entity = await entityWith()
    const { entityId } = (await world.call('describe_entity', { entity })).entity
    await world.sql.begin(async (writer) => {
      await writer`select pg_advisory_xact_lock_shared(${entityLockKey(world.tenant.tenantId, entityId)}::text::bigint)`
      const error = await refusal('attach_property', { entity, property })
      expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 2 })
    })
    expect(await namesOf(entity)).toEqual([])
  })

  it('lose no acknowledged save', async () => {
    const first = await textProperty()
    const entity = await entityWith(first)
    await save(entity, 'begin', { [first]: 'x' })
    const properties = await Promise.all([1, 2, 3, 4].map(() => textProperty()))
    const saves = Array.from({ length: 40 }, (_, index) => () => save(entity, `k${index}`, { [first]: String(index) }))
    const changes = properties.map((property) => () => world.call('attach_property', { entity, property }))
    const results = await Promise.allSettled([...saves.slice(0, 20), ...changes, ...saves.slice(20)].map((run) => run()))
    const acknowledged = results.filter((result, index) => result.status === 'fulfilled' && (index < 20 || index >= 24)).length
    expect(await world.call('count_instances', { entity })).toMatchObject({ count: acknowledged + 1 })
    expect(acknowledged).toBeGreaterThan(20)
    expect(await namesOf(entity)).toHaveLength(1 + results.slice(20, 24).filter((result) => result.status === 'fulfilled').length)
  })
})

describe('finding an entity', () => {
  it('answers a foreign entity as if it did not exist, and offers the nearest of the own names', async () => {
    const entity = await entityWith()
    const { entityId } = (await world.call('describe_entity', { entity })).entity
    const other = await world.newTenant()
    const foreign = await refusal('describe_entity', { entity: entityId }, other.key)
    const absent = await refusal('describe_entity', { entity: 999_999_999 }, other.key)
    expect([foreign.code, foreign.message, foreign.issues]).toEqual([absent.code, absent.message, absent.issues])
    expect((await refusal('describe_entity', { entity: `${entity}s` })).issues?.[0]?.suggestion).toBe(entity)
    expect(await world.call('list_entities', {}, { key: other.key })).toEqual([])
  })
})
