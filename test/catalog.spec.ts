/** Catalogs as documents: imported, exported, checked. */
import { describe, expect, it } from 'vitest'

import { pathsOf } from './support/refused.ts'
import { sorted, workCatalog } from './support/work-catalog.ts'
import { type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
const { refusal } = world

/** Calls of a tenant that has nothing yet. */
async function fresh(roleFlag?: number): Promise<{ tenant: TestTenant; call: World['call'] }> {
  const tenant = await world.newTenant(roleFlag)
  return { tenant, call: (name, input, options) => world.call(name, input, { key: tenant.key, ...options }) }
}

describe('catalog documents', () => {
  it('go in and come out the same, and in again elsewhere', async () => {
    const first = await fresh()
    const result = await first.call('import_catalog', workCatalog)
    expect(result).toMatchObject({ created: 5, skipped: 0, issues: [] })
    const exported = await first.call('export_catalog')
    expect(sorted(exported)).toEqual(sorted(workCatalog))
    const second = await fresh()
    await second.call('import_catalog', exported)
    expect(sorted(await second.call('export_catalog'))).toEqual(sorted(workCatalog))
    const detail = await second.call('describe_entity', { entity: 'Site' })
    expect(detail.properties).toMatchObject([
      { propertyInternalName: 'Code', keyPart: 1, isRequired: true },
      { propertyInternalName: 'Kind', propertyOptionFilterId: expect.any(Number) },
      { childEntityInternalName: 'Visit', isRequired: true, isList: true },
    ])
    expect(await second.call('list_categories')).toContainEqual({ categoryId: expect.any(Number), internalName: 'Fieldwork' })
    await second.call('save_instance', { entity: 'Site', data: { Code: 'A1', Kind: 'Hall' } })
    expect((await refusal('save_instance', { entity: 'Site', data: { Code: 'A2', Kind: 'Indoor' } }, second.tenant.key)).status).toBe(400)
  })

  it('are exported in part, with what the part needs and without what it leaves out', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', workCatalog)
    const part = await call('export_catalog', { entities: ['site'] })
    expect(part.entities).toMatchObject([{ internalName: 'Site' }])
    expect(part.entities[0]).not.toHaveProperty('children')
    expect(part.entities[0]).not.toHaveProperty('peers')
    expect(part.properties.map((property: { internalName: string }) => property.internalName)).toEqual(['Code', 'Kind'])
    const one = await call('export_catalog', { properties: ['Photos'] })
    expect([one.properties.length, one.entities.length]).toEqual([1, 0])
    const unknown = await refusal('export_catalog', { entities: ['Sites'] }, tenant.key)
    expect([unknown.code, unknown.issues?.[0]?.suggestion]).toEqual(['unknown_entity', 'Site'])
    const other = await fresh()
    await other.call('import_catalog', part)
  })

  it('are checked up to a thousand findings', async () => {
    const entities = Array.from({ length: 60 }, (_, index) => ({
      internalName: `Endless${index}`,
      properties: Array.from({ length: 20 }, (_wrong, at) => ({ property: `NoSuchProperty${at}` })),
    }))
    const { ok, issues } = await world.call('validate_catalog', { entities })
    expect([ok, issues.length]).toEqual([false, 1_000])
  })

  it('are refused whole, with every mistake of every definition in one list', async () => {
    const { call, tenant } = await fresh()
    const bad = {
      properties: [
        { internalName: 'Good', dataType: 'Text' },
        { internalName: 'Bad', dataType: 'Number', regEx: 'x' },
        { internalName: 'Lost', dataType: 'Text', category: 'Fieldwrk' },
      ],
      entities: [
        { internalName: 'Thing', properties: [{ property: 'Goood' }, { property: 'Bad' }], children: [{ childEntity: 'Thingy' }] },
        { internalName: 'Fine', properties: [{ property: 'Good' }] },
      ],
    }
    const error = await refusal('import_catalog', bad, tenant.key)
    expect(error.status).toBe(400)
    const paths = [
      '$.properties[1].regEx',
      '$.properties[2].category',
      '$.entities[0].properties[0].property',
      '$.entities[0].children[0].childEntity',
    ]
    expect(pathsOf(error)).toEqual(paths)
    expect(error.issues?.map((issue) => issue.suggestion)).toEqual([undefined, undefined, 'Good', 'Thing'])
    const checked = await call('validate_catalog', bad)
    expect(checked).toMatchObject({ ok: false, valid: false })
    expect(checked.issues).toEqual(error.issues)
    expect([await call('list_properties'), await call('list_entities')]).toEqual([[], []])
  })

  it('are told what is wrong in their fields and in what these mean, each mistake once', async () => {
    const { call } = await fresh()
    const { issues } = await call('validate_catalog', {
      properties: [
        { internalName: 'Kind', dataType: 'Choise' },
        { internalName: 'Code', dataType: 'Text', regEx: '(', isSensitiv: true },
      ],
      entities: [
        {
          internalName: 'Thing',
          properties: [{ property: 'Kind', keyPart: 4 }, { property: 'Cod' }],
          children: [{ childEntity: 'Thingy' }],
        },
      ],
    })
    expect(issues.map((one: { path: string; suggestion?: string }) => [one.path, one.suggestion])).toEqual([
      ['$.properties[0].dataType', 'Choice'],
      ['$.properties[1].isSensitiv', 'isSensitive'],
      ['$.entities[0].properties[0].keyPart', undefined],
      ['$.properties[1].regEx', undefined],
      ['$.entities[0].properties[1].property', 'Code'],
      ['$.entities[0].children[0].childEntity', 'Thing'],
    ])
  })

  it('are 422 where their parts contradict each other, and 409 where a name is taken', async () => {
    const { call, tenant } = await fresh()
    const twice = await refusal(
      'import_catalog',
      {
        properties: [
          { internalName: 'A', dataType: 'Text' },
          { internalName: 'a', dataType: 'Number' },
        ],
      },
      tenant.key,
    )
    expect([twice.code, twice.status, pathsOf(twice)]).toEqual(['unprocessable', 422, ['$.properties[1].internalName']])
    const peers = await refusal(
      'import_catalog',
      {
        entities: [
          { internalName: 'A', peers: [{ peerEntity: 'B' }] },
          { internalName: 'B', peers: [{ peerEntity: 'A' }] },
        ],
      },
      tenant.key,
    )
    expect([peers.status, pathsOf(peers)]).toEqual([422, ['$.entities[1].peers']])
    await call('import_catalog', workCatalog)
    const again = await refusal('import_catalog', workCatalog, tenant.key)
    expect([again.code, again.issues?.length]).toEqual(['already_exists', 5])
    expect(
      (await call('list_categories')).filter((category: { internalName: string }) => category.internalName === 'Fieldwork'),
    ).toHaveLength(1)
  })

  it('may be repeated when what exists is to be skipped, but not with another type', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', workCatalog)
    const more = {
      ...workCatalog,
      whenExists: 'skip',
      entities: [
        ...workCatalog.entities,
        { internalName: 'Room', properties: [{ property: 'code' }], children: [{ childEntity: 'Visit' }] },
      ],
    }
    const result = await call('import_catalog', more)
    expect(result).toMatchObject({ created: 1, skipped: 5 })
    expect(result.entities.map((entity: { internalName: string; outcome: string }) => [entity.internalName, entity.outcome])).toEqual([
      ['Room', 'created'],
      ['Site', 'skipped'],
      ['Visit', 'skipped'],
    ])
    expect((await call('list_entity_relationships', { entity: 'Visit' })).parents).toHaveLength(2)
    const clash = await refusal(
      'import_catalog',
      { whenExists: 'skip', properties: [{ internalName: 'Code', dataType: 'Number' }] },
      tenant.key,
    )
    expect([clash.status, pathsOf(clash)]).toEqual([409, ['$.properties[0].dataType']])
  })

  it('cannot take a parent from records that exist', async () => {
    const { call, tenant } = await fresh()
    await call('create_entity', { internalName: 'Visit' })
    await call('save_instance', { entity: 'Visit', key1: 'a', data: {} })
    const site = { entities: [{ internalName: 'Site', children: [{ childEntity: 'Visit', isRequired: true }] }] }
    expect((await refusal('import_catalog', site, tenant.key)).code).toBe('conflict')
    expect((await refusal('describe_entity', { entity: 'Site' }, tenant.key)).code).toBe('not_found')
  })
})

describe('entities that need each other', () => {
  it('are refused as parents of each other, and taken where one of them may begin', async () => {
    const { call, tenant } = await fresh()
    const document = (isRequired: boolean) => ({
      entities: [
        { internalName: 'Hen', children: [{ childEntity: 'Egg', isRequired: true }] },
        { internalName: 'Egg', children: [{ childEntity: 'Hen', isRequired }] },
        { internalName: 'Shell' },
      ],
    })
    const validated = await call('validate_catalog', document(true))
    expect(validated.issues.map((issue: { path: string }) => issue.path)).toEqual(['$.entities[0]', '$.entities[1]'])
    expect(pathsOf(await refusal('import_catalog', document(true), tenant.key))).toEqual(['$.entities[0]', '$.entities[1]'])
    expect(await call('import_catalog', document(false))).toMatchObject({ created: 3 })
  })
})

describe('a document that gives parents to records that exist', () => {
  it('is found wanting by validate_catalog as by the import, with the entity that names the child', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', { entities: [{ internalName: 'Leaf' }] })
    const { eiRecordId } = await call('save_instance', { entity: 'Leaf', key1: 'a', data: {} })
    const document = (isRequired: boolean) => ({
      entities: [{ internalName: 'Twig' }, { internalName: 'Branch', children: [{ childEntity: 'Leaf', isRequired }] }],
    })
    const found = await call('validate_catalog', document(true))
    expect(found).toMatchObject({
      ok: false,
      issues: [{ path: '$.entities[1].children[0].childEntity', message: expect.stringMatching(/have no parent/) }],
    })
    const error = await refusal('import_catalog', document(true), tenant.key)
    expect([error.code, pathsOf(error)]).toEqual(['conflict', ['$.entities[1].children[0].childEntity']])
    expect(await call('validate_catalog', document(false))).toMatchObject({ ok: true })
    // Another parent that a leaf may do without lets it stay as it is.
    const either = document(true)
    expect(
      await call('validate_catalog', { entities: [...either.entities, { internalName: 'Ground', children: [{ childEntity: 'Leaf' }] }] }),
    ).toMatchObject({ ok: true })
    await call('delete_instance', { entity: 'Leaf', record: String(eiRecordId) })
    expect(await call('validate_catalog', document(true))).toMatchObject({ ok: true })
    expect(await call('import_catalog', document(true))).toMatchObject({ created: 2 })
  })
})
