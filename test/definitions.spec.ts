import { describe, expect, it } from 'vitest'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor, TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import {
  changeDefinition,
  copyDefinition,
  createDefinition,
  type Definition,
  listDefinitionPage,
  mustFindDefinition,
  type Place,
  placeOf,
  readBody,
  readDefinitions,
  type Reference,
  referencesOfFilter,
  referencesOfSort,
  removeDefinition,
} from '#tools/definitions/service.ts'
import { subjectsOf, withTodaysNames } from '#tools/definitions/references.rules.ts'
import { viewerOf, whyNotChanged } from '#tools/definitions/visibility.rules.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

const builder = (tenantUserId = 1): Partial<Actor> => ({ kind: 'session', tenantUserId, roleFlag: 1 })
const member = (tenantUserId: number): Partial<Actor> => ({ kind: 'session', tenantUserId, roleFlag: 2 })

/** Runs in a transaction as somebody, as an operation does. */
function as<T>(actor: Partial<Actor>, work: (context: TxContext) => Promise<T>, tenantId = world.tenant.tenantId): Promise<T> {
  return inSystemTransaction(world.platform.services, tenantId, (context) => work({ ...context, actor: { ...context.actor, ...actor } }))
}

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`It was not refused: ${String(error)}`)
  return error
}

const place: Place = { kind: 'view', entityId: null, lister: 'list_views', field: 'view' }

interface Arranged {
  readonly entity: string
  readonly status: string
  readonly entityPropertyId: number
  readonly optionId: number
}

async function arranged(): Promise<Arranged> {
  const [entity, status] = [unique('Order'), unique('Status')]
  await world.call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  await world.call('create_entity', { internalName: entity, properties: [{ property: status }] })
  const { properties } = await world.call('describe_entity', { entity })
  const options = await world.call('list_property_options', { property: status })
  return { entity, status, entityPropertyId: properties[0].entityPropertyId, optionId: options[0].optionId }
}

const filterOf = ({ status }: Arranged) => ({
  filters: { logic: 'AND', rules: [{ property: status, op: 'in', value: ['open', 'closed'] }] },
})

/** A definition that filters by the two options. */
async function kept(of: Arranged, more: { actor?: Partial<Actor>; isShared?: boolean; isApiVisible?: boolean } = {}): Promise<string> {
  const internalName = unique('Kept')
  await as(more.actor ?? builder(), (context) =>
    changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const home = catalog.byIdOrName.get(of.entity.toLowerCase())
      if (!home) throw new Error('The entity is not in the catalog')
      const body = filterOf(of)
      const references: Reference[] = [{ entityId: home.entityId }, ...referencesOfFilter(catalog, home, body.filters, ['filters'])]
      const { isShared = true, isApiVisible = true } = more
      await createDefinition(context, place, { internalName, description: '', body, references, isShared, isApiVisible })
    }),
  )
  return internalName
}

async function shown(name: string): Promise<Definition> {
  return as(builder(), async (context) => {
    const [one] = await readDefinitions(context, [await mustFindDefinition(context, place, name)], await cachedCatalog(context))
    if (!one) throw new Error('Nothing was read')
    return one
  })
}

const detach = (of: Arranged, more = {}) =>
  world.call('detach_property', { entity: of.entity, entityPropertyId: of.entityPropertyId, ...more })

describe('the names in a stored definition', () => {
  it('are those of today after a rename of the property', async () => {
    const of = await arranged()
    const name = await kept(of)
    const renamed = unique('State')
    await world.call('update_property', { property: of.status, internalName: renamed })
    const { body, gone } = await shown(name)
    expect(body).toEqual({ filters: { logic: 'AND', rules: [{ property: renamed, op: 'in', value: ['open', 'closed'] }] } })
    expect(gone).toEqual([])
  })

  it('stay where what they name is gone, and are told with their place, also when something new has the name', async () => {
    const of = await arranged()
    const name = await kept(of)
    await detach(of, { force: true })
    await world.call('delete_property', { property: of.status, force: true })
    await world.call('create_property', { internalName: of.status, dataType: 'Text' })
    await world.call('attach_property', { entity: of.entity, property: of.status })
    const { body, gone } = await shown(name)
    expect(body).toEqual(filterOf(of))
    expect(gone.map((one) => [one.path, one.severity])).toEqual([
      ['$.filters.rules[0].property', 'error'],
      ['$.filters.rules[0].value[0]', 'error'],
      ['$.filters.rules[0].value[1]', 'error'],
    ])
    expect(gone[0]?.message).toContain(of.status)
  })

  it('are replaced in texts and as keys, each in its place', () => {
    const vocabulary = { entities: [], byIdOrName: new Map() }
    const names = new Map([
      [1, 'LongerName'],
      [2, 'B'],
    ])
    const body = { text: '[[One.x]] and [[Two.y]]', map: { One: 1, Two: { One: 'deep' } } }
    const references: Reference[] = [
      { at: ['text'], within: [2, 5], definitionId: 1 },
      { at: ['text'], within: [16, 19], definitionId: 2 },
      { at: ['map', 'One'], isKey: true, definitionId: 1 },
      { at: ['map', 'Two'], isKey: true, definitionId: 2 },
      { at: ['map', 'Two', 'One'], isKey: true, definitionId: 1 },
    ]
    const named = withTodaysNames(body, references, vocabulary, names)
    expect(JSON.stringify(named)).toBe(
      JSON.stringify({ text: '[[LongerName.x]] and [[B.y]]', map: { LongerName: 1, B: { LongerName: 'deep' } } }),
    )
    expect(subjectsOf(references)).toHaveLength(2)
  })
})

describe('what a sort names', () => {
  it('is kept by the place of each term, and system fields are nobody else’s', () => {
    const property = { propertyId: 5, entityPropertyId: 6, internalName: 'Due', options: [] }
    const home = { entityId: 1, internalName: 'Order', properties: [property], parents: [], children: [], peers: [] }
    const vocabulary = { entities: [home], byIdOrName: new Map([['order', home]]) }
    const sort = [{ property: 'modifiedDate' }, { property: 'due', direction: 'desc' }, { property: 6, entity: 'Order' }, 'Due']
    expect(referencesOfSort(vocabulary, home, sort, ['sort'])).toEqual([
      { at: ['sort', 1, 'property'], entityId: 1, propertyId: 5 },
      { at: ['sort', 2, 'entity'], entityId: 1 },
      { at: ['sort', 2, 'property'], entityId: 1, propertyId: 5 },
    ])
  })
})

describe('a deletion or a detachment', () => {
  it('of what a definition uses is 409 and names it, and is done with force', async () => {
    const of = await arranged()
    const name = await kept(of)
    const option = { property: of.status, optionId: of.optionId }
    const refusals = [
      await refusal(detach(of)),
      await refusal(world.call('delete_property_option', option)),
      await refusal(world.call('delete_entity', { entity: of.entity })),
    ]
    for (const error of refusals) {
      expect(error.code).toBe('conflict')
      expect(error.message).toContain(`the view ${name}`)
      expect(error.message).toContain('force: true')
    }
    await world.call('delete_property_option', { ...option, force: true })
    await detach(of, { force: true })
    const error = await refusal(world.call('delete_property', { property: of.status }))
    expect(error.message).toContain(`the view ${name}`)
    await world.call('delete_property', { property: of.status, force: true })
    await world.call('delete_entity', { entity: of.entity, force: true })
    expect((await shown(name)).gone.length).toBeGreaterThan(0)
  })

  it('of a relationship that a definition goes over is 409 and names it, whatever the direction', async () => {
    const [site, order, tool] = [await arranged(), await arranged(), await arranged()]
    await world.call('attach_child_entity', { entity: site.entity, childEntity: order.entity })
    await world.call('attach_peer_entity', { entity: tool.entity, peerEntity: order.entity })
    const internalName = unique('Over')
    await as(builder(), (context) =>
      changeOtherDefinitions(context, async () => {
        const catalog = await cachedCatalog(context)
        const home = catalog.byIdOrName.get(order.entity.toLowerCase())
        if (!home) throw new Error('The entity is not in the catalog')
        const filter = {
          rules: [{ entity: site.entity, property: site.status, op: 'eq', value: 'open' }],
          groups: [{ entity: tool.entity }],
        }
        const references = referencesOfFilter(catalog, home, filter, ['filters'])
        await createDefinition(context, place, {
          internalName,
          description: '',
          body: { filters: filter },
          references,
          isShared: true,
          isApiVisible: true,
        })
      }),
    )
    const child = await refusal(world.call('detach_child_entity', { entity: site.entity, childEntity: order.entity }))
    const peer = await refusal(world.call('detach_peer_entity', { entity: order.entity, peerEntity: tool.entity }))
    for (const error of [child, peer]) expect([error.code, error.message.includes(internalName)]).toEqual(['conflict', true])
    await world.call('detach_child_entity', { entity: site.entity, childEntity: order.entity, force: true })
    await world.call('detach_peer_entity', { entity: order.entity, peerEntity: tool.entity, force: true })
    expect((await shown(internalName)).gone.map((one) => one.message)).toHaveLength(2)
  })

  it('goes through once nothing uses it any more', async () => {
    const of = await arranged()
    const name = await kept(of)
    await as(builder(), (context) =>
      changeOtherDefinitions(context, async () => removeDefinition(context, await mustFindDefinition(context, place, name), undefined)),
    )
    expect(await detach(of)).toMatchObject({ deleted: true })
  })
})

describe('usage', () => {
  it('names the definitions that the caller sees and counts the others', async () => {
    const of = await arranged()
    const mine = await kept(of)
    await kept(of, { isApiVisible: false })
    for (const [name, input] of [
      ['get_entity_usage', { entity: of.entity }],
      ['get_property_usage', { property: of.status }],
    ] as const) {
      const usage = await world.call(name, input)
      expect(usage.definitions).toEqual([{ kind: 'view', definitionId: expect.any(Number), internalName: mine }])
      expect(usage.otherDefinitions).toBe(1)
    }
  })
})

describe('who sees a definition', () => {
  it('is everybody where it is shared, else its owner and builders; hidden ones are hidden from keys', async () => {
    const of = await arranged()
    const [open, own, hidden] = [
      await kept(of),
      await kept(of, { actor: member(7), isShared: false }),
      await kept(of, { isApiVisible: false }),
    ]
    const seenBy = (actor: Partial<Actor>) =>
      as(actor, async (context) => {
        const page = { pageSize: 1000, offset: 0, cursor: undefined, isNumbered: false, bytes: 1_000_000, countTo: undefined }
        const found = await listDefinitionPage(context, place, page)
        return [open, own, hidden].filter((name) => found.rows.some((row) => row.internalName === name))
      })
    expect(await seenBy(member(7))).toEqual([open, own, hidden])
    expect(await seenBy(member(8))).toEqual([open, hidden])
    expect(await seenBy(builder(9))).toEqual([open, own, hidden])
    expect(await seenBy({ ...builder(9), kind: 'key' })).toEqual([open, own])
    const error = await refusal(as(member(8), (context) => mustFindDefinition(context, place, own)))
    expect(error.code).toBe('not_found')
  })

  it('answers a foreign tenant as if it did not exist', async () => {
    const name = await kept(await arranged())
    const other = await world.newTenant()
    const error = await refusal(as(builder(), (context) => mustFindDefinition(context, place, name), other.tenantId))
    expect(error.code).toBe('not_found')
  })

  it('is changed by its owner and by builders alone, and not where it ships with the product', () => {
    const viewer = (actor: Partial<Actor>) => viewerOf({ actor: actor as Actor, transport: 'rest' })
    expect(whyNotChanged(viewer(member(7)), { ownerId: 7, isSystem: false }, 'view')).toBeUndefined()
    expect(whyNotChanged(viewer(builder(9)), { ownerId: 7, isSystem: false }, 'view')).toBeUndefined()
    expect(whyNotChanged(viewer(member(8)), { ownerId: 7, isSystem: false }, 'view')).toContain('owner')
    expect(whyNotChanged(viewer(builder(7)), { ownerId: 7, isSystem: true }, 'view')).toContain('read-only')
    expect(viewerOf({ actor: member(7) as Actor, transport: 'mcp' }).isApi).toBe(true)
  })
})

describe('keeping a definition', () => {
  it('refuses a name that is taken, whatever its case, for a new one and for a rename', async () => {
    const of = await arranged()
    const [first, second] = [await kept(of), await kept(of)]
    const draft = { internalName: first.toUpperCase(), description: '', body: {}, references: [], isShared: false, isApiVisible: true }
    const created = await refusal(as(builder(), (context) => createDefinition(context, place, draft)))
    const renamed = await refusal(
      as(builder(), async (context) =>
        changeDefinition(context, await mustFindDefinition(context, place, second), { internalName: first }),
      ),
    )
    expect([created.code, renamed.code]).toEqual(['already_exists', 'already_exists'])
  })

  it('copies what is gone along, for the copier alone', async () => {
    const of = await arranged()
    const name = await kept(of)
    await detach(of, { force: true })
    const copy = unique('Copy')
    const original = await shown(name)
    await as(builder(4), async (context) => copyDefinition(context, place, await mustFindDefinition(context, place, name), copy))
    const { gone, ownerId, isShared } = await shown(copy)
    expect(gone).toEqual(original.gone)
    expect([ownerId, isShared]).toEqual([4, false])
  })

  it('ends at so many definitions, and at so many bytes of one', async () => {
    const tenant = await world.newTenant()
    await world.sql`
      insert into platform.definition (tenant_id, kind, internal_name, body, refs, owner_id)
      select ${tenant.tenantId}, 'view', 'V' || n, '{}', '[]', 1 from generate_series(1, 2000) n`
    const draft = { internalName: 'OneMore', description: '', body: {}, references: [], isShared: false, isApiVisible: true }
    const error = await refusal(as(builder(), (context) => createDefinition(context, place, draft), tenant.tenantId))
    expect([error.code, error.message]).toEqual(['too_large', expect.stringContaining('2000')])
    const long = await readBody(`{"a": "${'x'.repeat(300_000)}"}`, '$.viewJson')
    expect(long).toMatchObject({ findings: [{ path: '$.viewJson', message: expect.stringContaining('characters') }] })
  })

  it('takes its JSON as text and as an object, and tells what is neither', async () => {
    expect(await readBody('{"a": [1]}', '$.viewJson')).toEqual({ body: { a: [1] } })
    expect(await readBody({ a: [1] }, '$.viewJson')).toEqual({ body: { a: [1] } })
    for (const wrong of ['{', '[1]', 'null', 7])
      expect(await readBody(wrong, '$.viewJson')).toMatchObject({ findings: [{ path: '$.viewJson', severity: 'error' }] })
  })

  it('lists in pages that end by their bytes and go on behind a name', async () => {
    const tenant = await world.newTenant()
    await world.sql`
      insert into platform.definition (tenant_id, kind, internal_name, body, refs, owner_id)
      select ${tenant.tenantId}, 'view', 'V' || lpad(n::text, 3, '0'), ${JSON.stringify({ a: 'x'.repeat(1_000) })}, '[]', 1 from generate_series(1, 30) n`
    const names: string[] = []
    let cursor: string | undefined
    do {
      const found = await as(
        builder(),
        (context) =>
          listDefinitionPage(context, place, { pageSize: 2000, offset: 0, cursor, isNumbered: false, bytes: 10_000, countTo: undefined }),
        tenant.tenantId,
      )
      expect(found.rows.length).toBeLessThan(10)
      names.push(...found.rows.map((row) => row.internalName))
      const last = found.rows.at(-1)
      cursor = found.hasMore && last ? Buffer.from(JSON.stringify(placeOf(last))).toString('base64url') : undefined
    } while (cursor !== undefined)
    expect(names).toHaveLength(30)
    expect(names).toEqual(names.toSorted())
  })
})
