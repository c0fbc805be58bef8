/** The catalog that is shared with every tenant. */
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

describe('the shared catalog', () => {
  it('ships definitions that all install together, and are skipped the second time', async () => {
    const { call } = await fresh()
    const offers = await call('browse_catalog')
    const ids = [...offers.properties, ...offers.entities].filter((item) => item.source === 'product').map((item) => item.globalSourceId)
    expect(ids.length).toBeGreaterThan(60)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.max(...ids)).toBeLessThan(10_001)
    const installed = await call('install_catalog_items', { globalSourceIds: ids })
    expect(installed).toMatchObject({ created: ids.length, skipped: 0, issues: [] })
    expect((await call('browse_catalog')).entities.every((item: { isInstalled: boolean }) => item.isInstalled)).toBe(true)
    expect(await call('install_catalog_items', { globalSourceIds: ids })).toMatchObject({ created: 0, skipped: ids.length })
    const technician = (await call('describe_entity', { entity: 'Technician' })).entity
    expect(technician).toMatchObject({ isTenantUserRole: true, globalSourceId: 5_009, identityEmailPropertyId: expect.any(Number) })
    await call('save_instance', { entity: 'Airport', data: { IataCode: 'BCN', Name: 'Barcelona', Latitude: 41.297_1 } })
  })

  it('is narrowed by vertical, category and a word', async () => {
    const aviation = await world.call('browse_catalog', { vertical: 'aviation' })
    expect(aviation.entities.map((item: { internalName: string }) => item.internalName)).toEqual(['Airport'])
    expect((await world.call('browse_catalog', { category: 'Money', search: 'invoice' })).entities).toHaveLength(1)
    expect((await refusal('browse_catalog', { vertical: 'Aviaton' })).issues?.[0]).toMatchObject({
      path: '$.vertical',
      suggestion: 'Aviation',
    })
  })

  it('says which relationship an entity that stays as it is does not get', async () => {
    const { call } = await fresh()
    const document = (children: object[]) => ({ entities: [{ internalName: 'Yard', children }], whenExists: 'skip' })
    await call('import_catalog', document([]))
    const both = document([{ childEntity: 'Gate' }])
    const again = { ...both, entities: [...both.entities, { internalName: 'Gate' }] }
    const told = {
      path: '$.entities[0].children[0]',
      severity: 'warning',
      message: expect.stringContaining('attach_child_entity'),
    }
    expect(await call('validate_catalog', again)).toMatchObject({ ok: true, issues: [told] })
    expect(await call('import_catalog', again)).toMatchObject({ created: 1, skipped: 1, issues: [told] })
    expect((await call('list_entity_relationships', { entity: 'Yard' })).children).toEqual([])
    await call('attach_child_entity', { entity: 'Yard', childEntity: 'Gate' })
    expect(await call('import_catalog', again)).toMatchObject({ created: 0, skipped: 2, issues: [] })
  })

  it('brings with an entity what it needs, and says what it leaves out', async () => {
    const { call, tenant } = await fresh()
    await call('create_property', { internalName: 'Notes', dataType: 'Text' })
    const result = await call('install_catalog_items', { globalSourceIds: [5_004, 5_003] })
    expect(result.entities.map((entity: { internalName: string }) => entity.internalName).sort()).toEqual(['WorkLog', 'WorkOrder'])
    expect(result.properties).toContainEqual({ propertyId: expect.any(Number), internalName: 'Notes', outcome: 'skipped' })
    expect(result.issues.map((issue: { severity: string }) => issue.severity)).toEqual(['warning', 'warning'])
    expect((await call('list_entity_relationships', { entity: 'WorkOrder' })).children).toMatchObject([{ internalName: 'WorkLog' }])
    const unknown = await refusal('install_catalog_items', { globalSourceIds: [9_999] }, tenant.key)
    expect([unknown.status, pathsOf(unknown)]).toEqual([400, ['$.globalSourceIds[0]']])
  })

  it('shows to every tenant what a global administrator published, and nothing else of his', async () => {
    const publisher = await fresh(1023)
    const reader = await fresh()
    expect((await refusal('import_catalog', { scope: 'global', entities: [] }, reader.tenant.key)).code).toBe('forbidden')
    expect((await reader.call('validate_catalog', { scope: 'global' })).issues[0].path).toBe('$.scope')
    await publisher.call('create_property', { internalName: 'Secret', dataType: 'Text', displays: [{ name: 'Secret' }] })
    await publisher.call('create_entity', { internalName: 'Hidden', properties: [{ property: 'Secret' }] })
    expect(
      (
        await refusal(
          'import_catalog',
          { scope: 'global', entities: [{ internalName: 'Leaky', properties: [{ property: 'Secret' }] }] },
          publisher.tenant.key,
        )
      ).status,
    ).toBe(422)
    await publisher.call('import_catalog', { ...workCatalog, scope: 'global' })

    const { properties, entities } = await reader.call('browse_catalog')
    const published = [...properties, ...entities].filter((item) => item.source === 'published')
    expect(published.map((item) => item.internalName)).toEqual(['Code', 'Kind', 'Photos', 'Site', 'Visit'])
    const site = published.find((item) => item.internalName === 'Site')
    const visit = published.find((item) => item.internalName === 'Visit')
    expect(site).toMatchObject({ children: ['Visit'], isInstalled: false })
    expect((await refusal('describe_entity', { entity: site.globalSourceId }, reader.tenant.key)).code).toBe('not_found')
    expect(await reader.call('list_entities')).toEqual([])
    expect(await reader.call('get_dictionary')).toEqual({ entities: [], properties: [] })
    expect((await refusal('update_entity', { entity: site.globalSourceId, categoryId: 1 }, reader.tenant.key)).code).toBe('not_found')

    await reader.call('install_catalog_items', { globalSourceIds: [site.globalSourceId, visit.globalSourceId] })
    const own = (await reader.call('list_entities')).find((entity: { internalName: string }) => entity.internalName === 'Site')
    expect(own.globalSourceId).toBe(site.globalSourceId)
    expect(own.entityId).not.toBe(site.globalSourceId)
    const seenBy = (publishedOf: string) =>
      world.sql.begin(async (sql) => {
        await sql.unsafe('set local role fieldloop_app')
        await sql`select set_config('app.tenant_id', ${String(reader.tenant.tenantId)}, true), set_config('app.published_of', ${publishedOf}, true)`
        const rows = await sql<{ internalName: string; name: string | null }[]>`
          select p.internal_name, d.name from platform.property p left join platform.property_display d on d.property_id = p.property_id
          where p.tenant_id = ${publisher.tenant.tenantId} order by p.internal_name, d.name`
        return rows.map((row) => [row.internalName, row.name])
      })
    expect(await seenBy('')).toEqual([])
    expect(await seenBy(String(reader.tenant.tenantId))).toEqual([])
    expect(await seenBy(String(publisher.tenant.tenantId))).toEqual([
      ['Code', 'Code'],
      ['Code', 'Código'],
      ['Kind', null],
      ['Photos', null],
    ])
    // What a category of the publisher is called is not for others to know.
    const taken = sorted(await reader.call('export_catalog'))
    expect(taken['entities']).toMatchObject([
      { internalName: 'Site', children: [{ childEntity: 'Visit', isRequired: true }] },
      { internalName: 'Visit' },
    ])
    expect(JSON.stringify(taken)).not.toContain('Fieldwork')
  })
})
