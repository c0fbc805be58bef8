import { beforeAll, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const { call } = world
  const many = Array.from({ length: 230 }, (_, n) => ({
    internalName: `o${n}`,
    displays: [{ languageCode: 'en-US', name: `Option ${n}` }],
  }))
  const kinds = [{ internalName: 'pump', displays: [{ languageCode: 'de-DE', name: 'Pumpe' }] }, { internalName: 'valve' }]
  const tree = [{ internalName: 'site' }, { internalName: 'room', parent: 'site' }]
  for (const property of [
    { internalName: 'Serial', dataType: 'Text', regEx: '^[A-Z]+$', minValueOrLength: 2, maxValueOrLength: 9, isSensitive: true },
    { internalName: 'Cost', dataType: 'Currency', maxDecimalPlaces: 2 },
    { internalName: 'Kind', dataType: 'Choice', propertyOptions: kinds },
    { internalName: 'Place', dataType: 'Hierarchy', propertyOptions: tree },
    { internalName: 'Long', dataType: 'Choice', propertyOptions: many },
    { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['jpg'] },
    { internalName: 'Note', dataType: 'Text' },
  ])
    await call('create_property', property)
  const properties = ['Cost', 'Kind', 'Place', 'Long', 'Photo'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Device', properties: [{ property: 'Serial', keyPart: 1 }, ...properties] })
  await call('create_entity', { internalName: 'Part' })
  await call('attach_child_entity', { entity: 'Device', childEntity: 'Part' })
})

const described = async (more: object = {}) => {
  const { properties } = await world.call('describe_entity', { entity: 'Device', ...more })
  // oxlint-disable-next-line typescript/no-explicit-any -- as the wire shows it.
  return new Map<string, any>(
    properties.map((one: { propertyInternalName: string | null; childEntityInternalName: string }) => [
      one.propertyInternalName ?? one.childEntityInternalName,
      one,
    ]),
  )
}

describe('describe_entity', () => {
  it('tells what a save of each property is held against', async () => {
    const properties = await described()
    expect(properties.size).toBe(7)
    expect(properties.get('Serial')).toMatchObject({
      dataType: 'Text',
      isList: false,
      keyPart: 1,
      isSensitive: true,
      regEx: '^[A-Z]+$',
      minValueOrLength: 2,
      maxValueOrLength: 9,
    })
    expect(properties.get('Cost')).toMatchObject({ dataType: 'Currency', maxDecimalPlaces: 2 })
    expect(properties.get('Cost')).not.toHaveProperty('regEx')
    expect(properties.get('Photo')).toMatchObject({ dataType: 'Attachment', allowedFileTypes: ['jpg'] })
    expect(properties.get('Part')).toMatchObject({ dataType: null, childEntityInternalName: 'Part' })
  })

  it('shows options with their names and parents, up to 200 of them and then how many there are', async () => {
    const properties = await described({ languageCode: 'de-DE' })
    expect(properties.get('Kind').options).toEqual([
      { internalName: 'pump', name: 'Pumpe' },
      { internalName: 'valve', name: 'valve' },
    ])
    expect(properties.get('Kind')).not.toHaveProperty('optionCount')
    expect(properties.get('Place').options).toEqual([
      { internalName: 'site', name: 'site' },
      { internalName: 'room', name: 'room', parent: 'site' },
    ])
    expect(properties.get('Long')).toMatchObject({ optionCount: 230 })
    expect(properties.get('Long').options).toHaveLength(200)
  })

  it('shows only the options that the entity takes', async () => {
    const { propertyOptionFilterId } = await world.call('save_property_option_filter', {
      property: 'Kind',
      internalName: 'Pumps',
      options: ['pump'],
    })
    await world.call('update_entity_property', { entity: 'Device', entityPropertyId: 'Kind', propertyOptionFilterId })
    expect((await described()).get('Kind').options).toEqual([{ internalName: 'pump', name: 'pump' }])
  })
})

describe('a property of an entity in a path', () => {
  it('goes by its internalName as by its id', async () => {
    const { entityPropertyId } = (await described()).get('Cost')
    const byName = await world.call('update_entity_property', { entity: 'Device', entityPropertyId: 'cost', isRequired: true })
    expect(byName).toMatchObject({ entityPropertyId, isRequired: true })
    const byId = await world.call('update_entity_property', { entity: 'Device', entityPropertyId, isRequired: false })
    expect(byId).toMatchObject({ entityPropertyId, isRequired: false })
    const analysis = await world.call('set_attachment_analysis', { entity: 'Device', entityPropertyId: 'Photo', ocr: true })
    expect(analysis).toMatchObject({ property: 'Photo', ocr: true })
    expect(await world.call('detach_property', { entity: 'Device', entityPropertyId: 'Cost' })).toEqual({ entityPropertyId, deleted: true })
  })

  it('is 404 where it has neither, with the nearest name', async () => {
    for (const name of ['update_entity_property', 'detach_property', 'set_attachment_analysis']) {
      const refused = await refusal(name, { entity: 'Device', entityPropertyId: 'Photos' })
      expect(refused).toMatchObject({ code: 'not_found', issues: [{ path: '$.entityPropertyId', suggestion: 'Photo' }] })
      expect((await refusal(name, { entity: 'Device', entityPropertyId: 2_000_000_000 })).code).toBe('not_found')
      // A property that the entity does not have is none of its.
      expect((await refusal(name, { entity: 'Device', entityPropertyId: 'Note' })).code).toBe('not_found')
    }
  })

  it('does not mean a child entity by its name, which goes by its id', async () => {
    expect((await refusal('update_entity_property', { entity: 'Device', entityPropertyId: 'Part', isRequired: true })).code).toBe(
      'not_found',
    )
    const { entityPropertyId } = (await described()).get('Part')
    const changed = await world.call('update_entity_property', { entity: 'Device', entityPropertyId, isRequired: true })
    expect(changed).toMatchObject({ childEntityInternalName: 'Part', isRequired: true })
  })
})
