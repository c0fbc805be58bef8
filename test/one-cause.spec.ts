/** A mistake is told once, under its own code: what only follows from it is no finding. */
import { beforeAll, describe, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const properties = [
    { internalName: 'SiteCode', dataType: 'Text' },
    { internalName: 'BuildingCode', dataType: 'Text' },
    { internalName: 'Score', dataType: 'Number' },
  ]
  const building = [{ property: 'SiteCode', isRequired: true, keyPart: 1 }, { property: 'BuildingCode', keyPart: 2 }, { property: 'Score' }]
  await world.call('import_catalog', { properties, entities: [{ internalName: 'Building', properties: building }] })
})

const save = (data: object) => refusal('save_instance', { entity: 'Building', data })
const paths = (error: AppError) => error.issues?.map(({ path }) => path)

describe('the code of a refusal', () => {
  it.each([
    ['first', { Score: '7', Skore: 1 }],
    ['last', { Skore: 1, Score: '7' }],
  ])('is that of the wrong value that its sentence tells, where this stands %s beside an unknown name', async (_where, data) => {
    const error = await save({ SiteCode: 'S1', BuildingCode: 'B1', ...data })
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('$.data.Score: Expected a number') })
    expect(paths(error)?.toSorted()).toEqual(['$.data.Score', '$.data.Skore'])
  })

  it('is unknown_property where nothing else is wrong', async () => {
    expect(await save({ SiteCode: 'S1', Skore: 1 })).toMatchObject({ code: 'unknown_property', issues: [{ suggestion: 'Score' }] })
  })

  it('is invalid_input for a filter with a wrong number beside an unknown property', async () => {
    const filterRules = [
      { property: 'Skore', op: 'eq', value: 1 },
      { property: 'Score', op: 'eq', value: 'seven' },
    ]
    const error = await refusal('list_instances', { entity: 'Building', filterRules })
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('Expected a number') })
    expect(error.issues).toHaveLength(2)
  })
})

describe('a mistake', () => {
  it.each([
    ['a misspelt name', { SitCode: 'S1', BuildingCode: 'B1' }, '$.data.SitCode'],
    ['a value of another type', { SiteCode: 5, BuildingCode: 'B1' }, '$.data.SiteCode'],
  ])('in the first key part is not told of the second as well: %s', async (_what, data, path) => {
    expect(paths(await save(data))).toEqual([path])
  })

  it('in the name of a part of a rule is not told as a missing property or operator as well', async () => {
    const error = await refusal('list_instances', { entity: 'Building', filterRules: [{ field: 'Score', operator: 'eq', value: 7 }] })
    expect(error.issues).toMatchObject([
      { path: '$.filterRules[0].field', suggestion: 'property' },
      { path: '$.filterRules[0].operator', suggestion: 'op' },
    ])
    expect(error.issues).toHaveLength(2)
  })

  it('in the name of a person’s property is not told of the bridge that uses it as well', async () => {
    const entity = { internalName: 'Person', isTenantUserRole: true, properties: [{ property: 'EMail' }] }
    for (const bridge of [{}, { identityEmailProperty: 'EMail' }]) {
      const error = await refusal('import_catalog', { entities: [{ ...entity, ...bridge }] })
      expect([error.code, paths(error)]).toEqual(['unknown_property', ['$.entities[0].properties[0].property']])
    }
  })
})

it('says of a record without the parent it needs how to name one, in a call and in an import', async () => {
  await world.call('create_entity', { internalName: 'Inspection', properties: [{ property: 'Score' }] })
  await world.call('attach_child_entity', { entity: 'Building', childEntity: 'Inspection', isRequired: true })
  expect((await refusal('save_instance', { entity: 'Inspection', data: { Score: 7 } })).issues?.[0]?.message).toBe(
    'A record of Inspection needs a parent. Send parentKey1..3 or parentEIRecordId (in an import: parentKey1..3 as columns, or in mapping).',
  )
})

it('names the property that a missing key part follows from', async () => {
  expect(await save({ BuildingCode: 'B1' })).toMatchObject({
    issues: [{ path: '$.key2', message: 'key2 needs key1 before it, which follows from SiteCode: send SiteCode in data.' }],
  })
})
