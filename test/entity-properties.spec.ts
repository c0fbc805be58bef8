/** The properties of an entity: attached, ordered, changed, and what records forbid. */
import { describe, expect, it } from 'vitest'

import { entityArrangements } from './support/entities.ts'
import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
const { unique, textProperty, entityWith, save, elements, namesOf, idOf } = entityArrangements(world)

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
