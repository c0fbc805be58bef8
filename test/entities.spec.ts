/** Entities: made, changed, copied, found and deleted, bridged to users, and changed beside writers. */
import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { entityLockKey } from '#platform/db/entity-lock.ts'

import { entityArrangements } from './support/entities.ts'
import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
const { unique, textProperty, entityWith, save, elements, namesOf, idOf } = entityArrangements(world)

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
            (
              await world.sql`
                select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
                  and database = (select oid from pg_database where datname = current_database())`
            ).length,
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
