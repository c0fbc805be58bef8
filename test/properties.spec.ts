import { describe, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'

import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

async function propertyOf(definition: Record<string, unknown>): Promise<string> {
  const internalName = unique('Field')
  await world.call('create_property', { internalName, ...definition })
  return internalName
}

describe('creating a property', () => {
  it('answers its list row, and shows every rule again in its detail', async () => {
    const internalName = unique('Serial')
    const row = await world.call('create_property', {
      internalName,
      dataType: 'Text',
      displays: [
        { languageCode: 'en-us', name: 'Serial number', description: 'As on the plate' },
        { languageRegionId: 3, name: 'Número de serie', regEx: '^[A-Z]+$', isTranslationLocked: true },
      ],
      regEx: '^[A-Z0-9-]+$',
      minValueOrLength: 4,
      maxValueOrLength: 12,
      isSensitive: true,
      categoryId: 1,
      verticalId: 2,
    })
    expect(row).toMatchObject({
      internalName,
      dataTypeId: 5,
      name: 'Serial number',
      isSensitive: true,
      isFullyTranslated: true,
      categoryId: 1,
      verticalId: 2,
    })
    expect(row.displays).toEqual([
      { languageRegionId: 1, languageDisplayName: 'English (United States)', name: 'Serial number', description: 'As on the plate' },
      { languageRegionId: 3, languageDisplayName: 'Spanish (Spain)', name: 'Número de serie', description: '' },
    ])
    expect(Object.keys(row)[0]).toBe('propertyId')
    const rows = await world.call('list_properties')
    expect(rows).toContainEqual(row)
    const detail = await world.call('describe_property', { property: internalName.toUpperCase() })
    expect(detail.property).toMatchObject({
      propertyId: row.propertyId,
      dataType: 'Text',
      regEx: '^[A-Z0-9-]+$',
      minValueOrLength: 4,
      maxValueOrLength: 12,
    })
    expect(detail.languages[1]).toMatchObject({ languageRegionId: 3, regEx: '^[A-Z]+$', isTranslationLocked: true })
    expect(await world.call('describe_property', { property: row.propertyId })).toEqual(detail)
    expect(await world.call('describe_property', { property: String(row.propertyId) })).toEqual(detail)
  })

  it('takes Date for DateTime, and a type by its number', async () => {
    expect((await world.call('create_property', { internalName: unique('When'), dataType: 'Date' })).dataTypeId).toBe(2)
    expect((await world.call('create_property', { internalName: unique('When'), dataTypeId: 12 })).dataTypeId).toBe(12)
    expect(pathsOf(await refusal('create_property', { internalName: unique('When'), dataType: 'Text', dataTypeId: 1 }))).toEqual([
      '$.dataTypeId',
    ])
    expect(pathsOf(await refusal('create_property', { internalName: unique('When') }))).toEqual(['$.dataType'])
  })

  it.each(['list', 'Validate', '12', '1st', 'with space', 'a/b', 'Ä', 'x'.repeat(65)])(
    'refuses the name %j with 400',
    async (internalName) => {
      const error = await refusal('create_property', { internalName, dataType: 'Text' })
      expect(error.status).toBe(400)
      expect(pathsOf(error)).toEqual(['$.internalName'])
    },
  )

  it('lets no two properties of a tenant have one name, whatever its case, and another tenant have it too', async () => {
    const internalName = unique('Taken')
    await world.call('create_property', { internalName, dataType: 'Text' })
    expect((await refusal('create_property', { internalName: internalName.toLowerCase(), dataType: 'Number' })).code).toBe('already_exists')
    const other = await world.newTenant()
    expect((await world.call('create_property', { internalName, dataType: 'Number' }, { key: other.key })).internalName).toBe(internalName)
  })

  it('lets one of two creators of a name win', async () => {
    const internalName = unique('Race')
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => world.call('create_property', { internalName, dataType: 'Text' })))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as AppError).code] : []))
    expect(reasons).toEqual(['already_exists', 'already_exists', 'already_exists'])
  })

  it.each([
    ['a pattern on a number', { dataType: 'Number', regEx: '^a' }, '$.regEx'],
    ['a broken pattern', { dataType: 'Text', regEx: '(a' }, '$.regEx'],
    ['look-around', { dataType: 'Text', regEx: '(?=a)b' }, '$.regEx'],
    ['a pattern that costs too much', { dataType: 'Text', regEx: '[a-z]{1000}'.repeat(40) }, '$.regEx'],
    ['decimal places on text', { dataType: 'Text', maxDecimalPlaces: 2 }, '$.maxDecimalPlaces'],
    ['bounds on a date', { dataType: 'DateOnly', minValueOrLength: 1 }, '$.minValueOrLength'],
    ['bounds that cross', { dataType: 'Number', minValueOrLength: 5, maxValueOrLength: 1 }, '$.minValueOrLength'],
    ['a length beyond what is kept', { dataType: 'Text', maxValueOrLength: 32_769 }, '$.maxValueOrLength'],
    ['half a character', { dataType: 'Text', maxValueOrLength: 1.5 }, '$.maxValueOrLength'],
    ['file types on text', { dataType: 'Text', allowedFileTypes: ['jpg'] }, '$.allowedFileTypes'],
    ['an extension with a dot', { dataType: 'Attachment', allowedFileTypes: ['png', '.jpg'] }, '$.allowedFileTypes[1]'],
    ['an identity that is no text', { dataType: 'Number', isIdentityEmail: true }, '$.isIdentityEmail'],
    ['two identities in one', { dataType: 'Text', isIdentityEmail: true, isIdentityPhone: true }, '$.isIdentityPhone'],
    ['options of a text', { dataType: 'Text', propertyOptions: [{ internalName: 'A' }] }, '$.propertyOptions'],
    [
      'an option twice',
      { dataType: 'Choice', propertyOptions: [{ internalName: 'A' }, { internalName: 'a' }] },
      '$.propertyOptions[1].internalName',
    ],
    [
      'a parent in a choice',
      { dataType: 'Choice', propertyOptions: [{ internalName: 'A' }, { internalName: 'B', parent: 'A' }] },
      '$.propertyOptions[1].parent',
    ],
    [
      'a parent that there is not',
      { dataType: 'Hierarchy', propertyOptions: [{ internalName: 'A', parent: 'B' }] },
      '$.propertyOptions[0].parent',
    ],
    [
      'parents in a circle',
      {
        dataType: 'Hierarchy',
        propertyOptions: [
          { internalName: 'A', parent: 'B' },
          { internalName: 'B', parent: 'A' },
        ],
      },
      '$.propertyOptions',
    ],
    ['an unknown language', { dataType: 'Text', displays: [{ languageCode: 'en-UX', name: 'x' }] }, '$.displays[0].languageCode'],
    ['a language twice', { dataType: 'Text', displays: [{ name: 'x' }, { languageRegionId: 1, name: 'y' }] }, '$.displays[1]'],
    ['an unknown category', { dataType: 'Text', categoryId: 99_999 }, '$.categoryId'],
    ['an unknown vertical', { dataType: 'Text', verticalId: 99_999 }, '$.verticalId'],
    ['an unknown storage shortcut', { dataType: 'Text', storageShortcutId: 1 }, '$.storageShortcutId'],
    ['an unknown field of a display', { dataType: 'Text', displays: [{ nmae: 'x', name: 'y' }] }, '$.displays[0].nmae'],
  ])('refuses %s with its place', async (_what, definition, path) => {
    const error = await refusal('create_property', { internalName: unique('Bad'), ...definition })
    expect(error.status).toBe(400)
    expect(pathsOf(error)).toContain(path)
  })

  it('names every mistake at once, with the nearest right name', async () => {
    const error = await refusal('create_property', {
      internalName: unique('Bad'),
      dataType: 'Attachment',
      regEx: 'a',
      allowedFileTypes: ['.PDF'],
      displays: [{ languageCode: 'es-EX', name: 'x' }],
    })
    expect(pathsOf(error)).toEqual(['$.displays[0].languageCode', '$.regEx', '$.allowedFileTypes[0]'])
    expect(error.issues?.map((issue) => issue.suggestion)).toEqual(['es-ES', undefined, 'pdf'])
  })
})

describe('finding a property', () => {
  it('answers a foreign property as if it did not exist, and offers the nearest of the own names', async () => {
    const internalName = unique('Voltage')
    const { propertyId } = await world.call('create_property', { internalName, dataType: 'Number' })
    const other = await world.newTenant()
    const foreign = await refusal('describe_property', { property: propertyId }, other.key)
    const absent = await refusal('describe_property', { property: 999_999_999 }, other.key)
    const huge = await refusal('describe_property', { property: 9_007_199_254_740_991 }, other.key)
    expect([foreign.message, foreign.issues]).toEqual([absent.message, absent.issues])
    expect([foreign.code, huge.code]).toEqual(['not_found', 'not_found'])
    const near = await refusal('describe_property', { property: `${internalName}s` })
    expect(near.issues?.[0]?.suggestion).toBe(internalName)
    expect((await refusal('describe_property', { property: `${internalName}s` }, other.key)).issues?.[0]?.suggestion).toBeUndefined()
  })
})

describe('names in languages', () => {
  it("are shown in the language asked for, else the caller's, else the tenant's, else as the internalName", async () => {
    const tenant = await world.newTenant()
    const { key } = tenant
    const property = unique('Colour')
    await world.call('create_property', { internalName: property, dataType: 'Text' }, { key })
    const nameNow = async (input = {}) => (await world.call('list_properties', input, { key }))[0].name
    expect(await nameNow()).toBe(property)
    await world.call('set_property_display', { property, name: 'Color' }, { key })
    await world.call('set_property_display', { property, languageCode: 'de-DE', name: 'Farbe', description: 'Außen' }, { key })
    expect(await nameNow()).toBe('Color')
    expect(await nameNow({ languageCode: 'de-DE' })).toBe('Farbe')
    expect(await nameNow({ languageCode: 'fr-FR' })).toBe('Color')
    await world.sql`update platform.tenant_user set language_region_id = 7 where tenant_user_id = ${tenant.tenantUserId}`
    expect(await nameNow()).toBe('Farbe')
    expect(await nameNow({ languageCode: 'en-US' })).toBe('Color')
    expect((await refusal('list_properties', { languageCode: 'de-DX' }, key)).issues?.[0]).toMatchObject({
      path: '$.languageCode',
      suggestion: 'de-DE',
    })
  })

  it('keep the description and the lock that a later call does not name', async () => {
    const property = await propertyOf({
      dataType: 'Text',
      displays: [{ languageCode: 'es-ES', name: 'Uno', description: 'Primero', regEx: '^u' }],
    })
    const locked = await world.call('lock_property_translation', { property, languageCode: 'es-ES', isLocked: true })
    expect(locked).toMatchObject({ languageRegionId: 3, name: 'Uno', isTranslationLocked: true })
    await world.call('set_property_display', { property, languageCode: 'es-ES', name: 'Dos' })
    const shown = await world.call('describe_property', { property })
    expect(shown.languages).toEqual([
      {
        languageRegionId: 3,
        languageDisplayName: 'Spanish (Spain)',
        name: 'Dos',
        description: 'Primero',
        regEx: '^u',
        isTranslationLocked: true,
      },
    ])
    const none = await refusal('lock_property_translation', { property, languageCode: 'de-DE', isLocked: true })
    expect([none.status, pathsOf(none)]).toEqual([400, ['$.languageCode']])
  })
})

describe('a language that there is not', () => {
  it.each([
    ['en', 'en-US'],
    ['ES', 'es-ES'],
    ['fr-BE', 'fr-FR'],
    ['en_US', 'en-US'],
    ['xx', undefined],
  ])('is answered for %j with the nearest that there is, wherever it is named: %j', async (languageCode, suggestion) => {
    const property = await propertyOf({ dataType: 'Text' })
    const refused = [
      await refusal('describe_property', { property, languageCode }),
      await refusal('set_property_display', { property, languageCode, name: 'x' }),
      await refusal('create_property', { internalName: unique('P'), dataType: 'Text', displays: [{ languageCode, name: 'x' }] }),
      await refusal('create_user', { email: 'x@example.com', language: languageCode }),
    ]
    expect(refused.map((error) => error.issues?.map((issue) => issue.suggestion))).toEqual(refused.map(() => [suggestion]))
  })

  it('is named where it was given, also when the property has no display in it', async () => {
    const property = await propertyOf({ dataType: 'Text' })
    expect(pathsOf(await refusal('lock_property_translation', { property, languageRegionId: 5, isLocked: true }))).toEqual([
      '$.languageRegionId',
    ])
    expect(pathsOf(await refusal('lock_property_translation', { property, languageCode: 'fr-FR', isLocked: true }))).toEqual([
      '$.languageCode',
    ])
    expect((await refusal('lock_property_translation', { property, isLocked: true })).issues).toHaveLength(1)
  })
})

describe('changing a property', () => {
  it('changes what is named, and null clears', async () => {
    const property = await propertyOf({ dataType: 'Text', regEx: '^a', maxValueOrLength: 9, categoryId: 2 })
    await world.call('update_property', { property, regEx: null, isSensitive: true })
    const after = (await world.call('describe_property', { property })).property
    expect(after).toMatchObject({ regEx: null, isSensitive: true, maxValueOrLength: 9, categoryId: 2, dataType: 'Text' })
  })

  it('takes null for the file types too, and then any goes', async () => {
    const property = await propertyOf({ dataType: 'Attachment', allowedFileTypes: ['JPG'] })
    await world.call('update_property', { property, isSensitive: true })
    expect((await world.call('describe_property', { property })).property.allowedFileTypes).toEqual(['jpg'])
    await world.call('update_property', { property, allowedFileTypes: null })
    expect((await world.call('describe_property', { property })).property.allowedFileTypes).toEqual([])
    expect(
      (await world.call('describe_property', { property: await propertyOf({ dataType: 'Binary', allowedFileTypes: null }) })).property
        .allowedFileTypes,
    ).toEqual([])
  })

  it('does not let what is read from a sensitive file flow into the open, whichever end changes', async () => {
    const photo = await propertyOf({ dataType: 'Attachment' })
    const [text, other] = [await propertyOf({ dataType: 'Text' }), await propertyOf({ dataType: 'Text' })]
    const entity = unique('Thing')
    await world.call('create_entity', { internalName: entity, properties: [{ property: photo }, { property: text }, { property: other }] })
    const { properties } = await world.call('describe_entity', { entity })
    const { entityPropertyId } = properties[0]
    await world.call('set_attachment_analysis', { entity, entityPropertyId, ocr: true, targets: { text } })
    const error = await refusal('update_property', { property: photo, isSensitive: true })
    expect(error).toMatchObject({ status: 422, code: 'unprocessable', message: expect.stringMatching(`${entity}.*${text}`) })
    expect(pathsOf(error)).toEqual(['$.isSensitive'])
    await world.call('update_property', { property: text, isSensitive: true })
    await world.call('update_property', { property: photo, isSensitive: true })
    expect((await refusal('update_property', { property: text, isSensitive: false })).code).toBe('unprocessable')
    await world.call('update_property', { property: other, isSensitive: true })
    await world.call('update_property', { property: other, isSensitive: false })
    await world.call('update_property', { property: text, maxValueOrLength: 10_000 })
    await world.call('update_property', { property: photo, isSensitive: false })
    expect((await world.call('update_property', { property: text, isSensitive: false })).isSensitive).toBe(false)
  })

  it('never changes the data type, and holds the whole against the rules again', async () => {
    const property = await propertyOf({ dataType: 'Number', minValueOrLength: 5 })
    expect((await refusal('update_property', { property, dataType: 'Text' })).status).toBe(400)
    expect(pathsOf(await refusal('update_property', { property, maxValueOrLength: 1 }))).toEqual(['$.minValueOrLength'])
  })

  it('renames, but not onto another name', async () => {
    const [property, other] = [await propertyOf({ dataType: 'Text' }), await propertyOf({ dataType: 'Text' })]
    expect((await refusal('update_property', { property, internalName: other.toUpperCase() })).code).toBe('already_exists')
    const internalName = unique('Renamed')
    await world.call('update_property', { property, internalName })
    expect((await refusal('describe_property', { property })).code).toBe('not_found')
    await world.call('update_property', { property: internalName, internalName: internalName.toLowerCase() })
    expect((await world.call('describe_property', { property: internalName })).property.internalName).toBe(internalName.toLowerCase())
  })

  it('leaves stored values alone and refuses the next ones by the new rule', async () => {
    const property = await propertyOf({ dataType: 'Text' })
    const entity = unique('Thing')
    await world.call('create_entity', { internalName: entity, properties: [{ property }] })
    await world.call('save_instance', { entity, key1: 'a', data: { [property]: 'long text' } })
    await world.call('update_property', { property, maxValueOrLength: 4 })
    expect((await world.call('get_instance', { entity, record: 'a' })).data[property]).toBe('long text')
    expect((await refusal('save_instance', { entity, key1: 'b', data: { [property]: 'long text' } })).status).toBe(400)
  })
})

describe('options', () => {
  async function choice(dataType: 'Choice' | 'Hierarchy' = 'Choice') {
    const property = unique('Choice')
    await world.call('create_property', {
      internalName: property,
      dataType,
      propertyOptions: ['A', 'B', 'C'].map((internalName) => ({ internalName })),
    })
    const names = async () =>
      (await world.call('list_property_options', { property })).map((option: { internalName: string }) => option.internalName)
    const idOf = async (name: string) =>
      (await world.call('list_property_options', { property })).find((option: { internalName: string }) => option.internalName === name)
        .optionId as number
    return { property, names, idOf }
  }

  it('are made in order, parents named before or after their children', async () => {
    const property = unique('Tree')
    await world.call('create_property', {
      internalName: property,
      dataType: 'Hierarchy',
      propertyOptions: [
        { internalName: 'Pump', parent: 'mechanical' },
        { internalName: 'Mechanical', displays: [{ name: 'Mechanical things' }] },
      ],
    })
    const options = await world.call('list_property_options', { property })
    expect(
      options.map((option: { internalName: string; parent: string; position: number }) => [
        option.internalName,
        option.parent,
        option.position,
      ]),
    ).toEqual([
      ['Pump', 'Mechanical', 1],
      ['Mechanical', null, 2],
    ])
    expect(options[1].name).toBe('Mechanical things')
  })

  it('are added at the end, changed by name, renamed by id, and never collide', async () => {
    const { property, names, idOf } = await choice()
    const added = await world.call('save_property_option', { property, internalName: 'D', displays: [{ name: 'Dee' }] })
    expect(added).toMatchObject({ internalName: 'D', name: 'Dee', position: 4 })
    expect(
      (await world.call('save_property_option', { property, internalName: 'd', displays: [{ languageRegionId: 3, name: 'De' }] })).optionId,
    ).toBe(added.optionId)
    await world.call('save_property_option', { property, optionId: await idOf('A'), internalName: 'First' })
    expect(await names()).toEqual(['First', 'B', 'C', 'd'])
    expect((await refusal('save_property_option', { property, optionId: await idOf('B'), internalName: 'c' })).code).toBe('already_exists')
    expect((await refusal('save_property_option', { property: await propertyOf({ dataType: 'Text' }), internalName: 'A' })).status).toBe(
      400,
    )
  })

  it('stand under parents in a hierarchy, without circles', async () => {
    const { property } = await choice('Hierarchy')
    await world.call('save_property_option', { property, internalName: 'B', parent: 'A' })
    expect((await world.call('save_property_option', { property, internalName: 'C', parent: 'B' })).parent).toBe('B')
    expect(pathsOf(await refusal('save_property_option', { property, internalName: 'A', parent: 'C' }))).toEqual(['$.parent'])
    expect((await refusal('save_property_option', { property, internalName: 'C', parent: 'Bee' })).issues?.[0]?.path).toBe('$.parent')
    expect((await world.call('save_property_option', { property, internalName: 'C', parent: null })).parent).toBeNull()
  })

  it('take the order that is named, the others after them', async () => {
    const { property, names, idOf } = await choice()
    const answer = await world.call('reorder_property_options', { property, optionIds: [await idOf('C')] })
    expect(await names()).toEqual(['C', 'A', 'B'])
    expect(answer).toEqual({ reordered: true, optionIds: [await idOf('C'), await idOf('A'), await idOf('B')] })
    expect((await refusal('reorder_property_options', { property, optionIds: [1] })).status).toBe(400)
  })

  it('are not deleted while a record holds them, and keep their name in its history afterwards', async () => {
    const { property, names, idOf } = await choice()
    const entity = unique('Thing')
    await world.call('create_entity', { internalName: entity, properties: [{ property, isList: true }] })
    await world.call('save_instance', { entity, key1: 'x', data: { [property]: ['A', 'B'] } })
    const optionId = await idOf('B')
    expect((await refusal('delete_property_option', { property, optionId })).code).toBe('conflict')
    await world.call('save_instance', { entity, key1: 'x', data: { [property]: ['A'] } })
    expect(await world.call('delete_property_option', { property, optionId })).toEqual({ optionId, deleted: true })
    expect(await names()).toEqual(['A', 'C'])
    expect((await refusal('delete_property_option', { property, optionId })).code).toBe('not_found')
    expect((await refusal('save_instance', { entity, key1: 'x', data: { [property]: ['B'] } })).status).toBe(400)
    const versions = await world.call('get_instance_history', { entity, record: 'x' })
    expect(versions[0].data[property]).toEqual(['A', 'B'])
    const again = await world.call('save_property_option', { property, internalName: 'B' })
    expect(again.optionId).not.toBe(optionId)
  })

  it('are not deleted while they have children or are the last of a subset', async () => {
    const { property, idOf } = await choice('Hierarchy')
    await world.call('save_property_option', { property, internalName: 'B', parent: 'A' })
    expect((await refusal('delete_property_option', { property, optionId: await idOf('A') })).code).toBe('conflict')
    await world.call('save_property_option_filter', { property, internalName: 'Only', options: ['B'] })
    expect((await refusal('delete_property_option', { property, optionId: await idOf('B') })).code).toBe('conflict')
    const wider = await world.call('save_property_option_filter', { property, internalName: 'only', options: ['B', await idOf('C')] })
    expect(wider).toMatchObject({ internalName: 'only', options: ['B', 'C'] })
    await world.call('delete_property_option', { property, optionId: await idOf('B') })
    expect((await world.call('list_property_option_filters', { property }))[0]).toMatchObject({ options: ['C'] })
  })

  it('may be narrowed for one entity by a subset', async () => {
    const { property } = await choice()
    const entity = unique('Thing')
    await world.call('create_entity', { internalName: entity, properties: [{ property }] })
    const { propertyOptionFilterId } = await world.call('save_property_option_filter', { property, internalName: 'Few', options: ['A'] })
    const [{ entityPropertyId }] = (await world.call('describe_entity', { entity })).properties
    const shown = await world.call('update_entity_property', { entity, entityPropertyId, propertyOptionFilterId })
    expect(shown.propertyOptionFilterId).toBe(propertyOptionFilterId)
    await world.call('save_instance', { entity, key1: 'a', data: { [property]: 'A' } })
    expect((await refusal('save_instance', { entity, key1: 'b', data: { [property]: 'B' } })).status).toBe(400)
    expect((await refusal('update_entity_property', { entity, entityPropertyId, propertyOptionFilterId: 1 })).status).toBe(400)
  })
})

describe('using and deleting a property', () => {
  it('is told by usage, refused while attached, and gone afterwards', async () => {
    const property = await propertyOf({ dataType: 'Text' })
    const entity = unique('Thing')
    const { entityId } = await world.call('create_entity', { internalName: entity, properties: [{ property }] })
    const usage = await world.call('get_property_usage', { property })
    expect(usage.entities).toEqual([{ entityId, internalName: entity, entityPropertyId: expect.any(Number) }])
    const error = await refusal('delete_property', { property })
    expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining(entity)])
    await world.call('detach_property', { entity, entityPropertyId: usage.entities[0].entityPropertyId })
    expect(await world.call('delete_property', { property })).toMatchObject({ deleted: true })
    expect((await refusal('delete_property', { property })).code).toBe('not_found')
  })
})

describe('validating', () => {
  it('answers every finding in the envelope, and writes nothing', async () => {
    const internalName = unique('Checked')
    const wrong = await world.call('validate_property', { internalName, dataType: 'Curency', displays: [{ name: 1 }] })
    expect(wrong).toMatchObject({ ok: false, valid: false })
    expect(wrong.issues.map((issue: { path: string; suggestion?: string }) => [issue.path, issue.suggestion])).toEqual([
      ['$.dataType', 'Currency'],
      ['$.displays[0].name', undefined],
    ])
    expect(await world.call('validate_property', { internalName, dataType: 'Text' })).toEqual({ ok: true, valid: true, issues: [] })
    const warned = await world.call('validate_property', { internalName, dataType: 'Choice' })
    expect(warned).toMatchObject({ ok: true, valid: true, issues: [{ severity: 'warning', path: '$.propertyOptions' }] })
    expect((await refusal('describe_property', { property: internalName })).code).toBe('not_found')
    const taken = await propertyOf({ dataType: 'Text' })
    expect((await world.call('validate_property', { internalName: taken, dataType: 'Text' })).issues[0].path).toBe('$.internalName')
    const both = await world.call('validate_property', { internalName: taken, dataType: 'Text', regEx: '(', isSensitive: 'no' })
    expect(both.issues.map((issue: { path: string }) => issue.path)).toEqual(['$.isSensitive', '$.regEx', '$.internalName'])
    expect((await world.call('validate_property', {})).issues.map((issue: { path: string }) => issue.path)).toContain('$.internalName')
  })

  it('tries values as a save would', async () => {
    const property = await propertyOf({ dataType: 'Number', minValueOrLength: 0, maxValueOrLength: 10, maxDecimalPlaces: 1 })
    const tried = await world.call('test_property_value', { property, values: [0, 10.1, 1.25, -1, 'x', null, [1, 2], [1, 99]] })
    expect(tried.results.map((result: { ok: boolean }) => result.ok)).toEqual([true, false, false, false, false, true, true, false])
    expect(tried).toMatchObject({ ok: false, valid: false })
    expect(tried.results[4].issues[0].path).toBe('$.values[4]')
  })

  it('is not slowed by a hostile pattern', async () => {
    const property = await propertyOf({ dataType: 'Text', regEx: '^(a+)+$' })
    const begun = performance.now()
    const tried = await world.call('test_property_value', { property, values: [`${'a'.repeat(30_000)}!`] })
    expect(tried.ok).toBe(false)
    expect(performance.now() - begun).toBeLessThan(30_000)
  })
})
