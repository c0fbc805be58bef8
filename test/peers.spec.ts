import { describe, expect, it, vi } from 'vitest'

import type * as Peers from '#tools/instances/peers/peers.store.ts'

import { useWorld } from './support/world.ts'

/** How many rows each statement about links has answered. */
const answered = vi.hoisted(() => [] as number[])
vi.mock('#tools/instances/peers/peers.store.ts', async (original) => {
  const real = await original<typeof Peers>()
  const counted = Object.entries(real).map(([name, run]) => [
    name,
    async (...input: unknown[]) => {
      const answer = await (run as (...all: unknown[]) => Promise<unknown>)(...input)
      if (Array.isArray(answer)) answered.push(answer.length)
      return answer
    },
  ])
  return Object.fromEntries(counted) as typeof Peers
})

const world = useWorld()

/** A tenant whose machines and contacts are peers, with two machines and three contacts. */
async function arranged(cardinality: object = {}) {
  const tenant = await world.newTenant()
  const call = (name: string, input: object, key = tenant.key) => world.call(name, input, { key, transport: 'mcp' })
  await call('create_property', { internalName: 'Name', dataType: 'Text' })
  for (const internalName of ['Machine', 'Contact', 'Site'])
    await call('create_entity', { internalName, properties: [{ property: 'Name' }] })
  await call('attach_peer_entity', { entity: 'Machine', peerEntity: 'Contact', ...cardinality })
  const idOf = async (entity: string, key1: string) =>
    (await call('save_instance', { entity, key1, data: { Name: key1 } })).eiRecordId as number
  const [m1, m2] = [await idOf('Machine', 'm1'), await idOf('Machine', 'm2')]
  const [c1, c2, c3] = [await idOf('Contact', 'c1'), await idOf('Contact', 'c2'), await idOf('Contact', 'c3')]
  const of = (record: string | number, entity = 'Machine') => ({
    entity,
    record: String(record),
    peerEntity: entity === 'Machine' ? 'Contact' : 'Machine',
  })
  const link = (record: string | number, ids: number[], key?: string) =>
    call('link_peer_instances', { ...of(record), eiRecordIds: ids }, key)
  const unlink = (record: string | number, ids: number[], key?: string) =>
    call('unlink_peer_instances', { ...of(record), eiRecordIds: ids }, key)
  const list = async (record: string | number, entity = 'Machine', more: object = {}, key?: string) =>
    (await call('list_peer_instances', { ...of(record, entity), sort: [{ property: 'key1' }], ...more }, key)) as {
      key1: string
      linkedDate: string
      linkedBy: number
    }[]
  const keys = async (...asked: Parameters<typeof list>) => (await list(...asked)).map((one) => one.key1)
  return { tenant, call, link, unlink, list, keys, m1, m2, c1, c2, c3 }
}

describe('peers of a record', () => {
  it('show from both sides, since when and by whom, and linking twice is linking once', async () => {
    const { tenant, link, list, keys, m1, c1, c2, call } = await arranged()
    expect(await link('m1', [c1, c2])).toEqual({ eiRecordId: m1, linked: 2, unchanged: 0 })
    expect(await link('m1', [c2, c2])).toEqual({ eiRecordId: m1, linked: 0, unchanged: 1 })
    expect(await keys('m1')).toEqual(['c1', 'c2'])
    expect(await keys('c1', 'Contact')).toEqual(['m1'])
    expect(await keys('c3', 'Contact')).toEqual([])
    const [first] = await list('m1')
    expect(first).toMatchObject({ linkedBy: tenant.tenantUserId })
    expect(Date.now() - Date.parse(first?.linkedDate ?? '')).toBeLessThan(60_000)
    // From the other side, by key; the only peer entity need not be named.
    const again = { entity: 'Contact', record: 'c1', peerEntity: 'Machine', keys: [{ key1: 'm1' }, { key1: 'm2' }] }
    expect(await call('link_peer_instances', again)).toMatchObject({ linked: 1, unchanged: 1 })
    expect(await call('list_peer_instances', { entity: 'Contact', record: 'c1' })).toHaveLength(2)
    const filtered = await keys('m1', 'Machine', { filterRules: [{ property: 'Name', op: 'eq', value: 'c2' }] })
    expect(filtered).toEqual(['c2'])
    const reached = { filterRules: { groups: [{ entity: 'Contact', via: 'peer', rules: [{ property: 'key1', op: 'eq', value: 'c2' }] }] } }
    const machines = await call('list_instances', { entity: 'Machine', ...reached })
    expect(machines.map((one: { key1: string }) => one.key1)).toEqual(['m1'])
  })

  it('are unlinked from either side, and stay to be seen as of the time when they were linked', async () => {
    const { link, unlink, keys, m1, c1, c2, call, list } = await arranged()
    await link(m1, [c1, c2])
    const then = (await list(m1))[0]?.linkedDate ?? ''
    expect(await unlink(m1, [c1])).toEqual({ eiRecordId: m1, unlinked: 1, unchanged: 0 })
    expect(await unlink(m1, [c1])).toEqual({ eiRecordId: m1, unlinked: 0, unchanged: 1 })
    expect(await keys(m1)).toEqual(['c2'])
    expect(await keys(c1, 'Contact')).toEqual([])
    expect(await keys(m1, 'Machine', { asOfDate: then })).toEqual(['c1', 'c2'])
    expect(await keys(c1, 'Contact', { asOfDate: then })).toEqual(['m1'])
    const backwards = { entity: 'Contact', record: String(c2), peerEntity: 'Machine', eiRecordIds: [m1] }
    expect(await call('unlink_peer_instances', backwards)).toMatchObject({ unlinked: 1 })
    expect(await keys(m1)).toEqual([])
    // Linked anew it is another link.
    expect(await link(m1, [c1])).toMatchObject({ linked: 1 })
    expect(await keys(m1)).toEqual(['c1'])
  })

  it('are linked all or none, and what is absent is named', async () => {
    const { tenant, call, keys, m1, m2, c1, c3 } = await arranged()
    const stranger = await world.newTenant()
    expect(stranger.tenantId).not.toBe(tenant.tenantId)
    await call('delete_instance', { entity: 'Contact', record: String(c3) })
    const refused = (input: object, name = 'link_peer_instances') =>
      world.refusal(name, { entity: 'Machine', record: 'm1', peerEntity: 'Contact', ...input }, tenant.key)
    const some = await refused({ eiRecordIds: [c1, c3, m2, 999_999_999, Number.MAX_SAFE_INTEGER] })
    expect(some.status).toBe(400)
    expect(some.issues?.map((issue) => issue.path)).toEqual([1, 2, 3, 4].map((index) => `$.eiRecordIds[${index}]`))
    expect((await refused({ keys: [{ key1: 'c1' }, { key1: 'c9' }] })).issues?.map((issue) => issue.path)).toEqual(['$.keys[1]'])
    expect(await keys('m1')).toEqual([])
    expect((await refused({})).status).toBe(400)
    expect((await refused({ eiRecordIds: [c1], keys: [{ key1: 'c1' }] })).status).toBe(400)
    expect((await refused({ record: 'm9', eiRecordIds: [c1] })).status).toBe(404)
    const wrong = await refused({ peerEntity: 'Contakt', eiRecordIds: [c1] })
    expect([wrong.code, wrong.issues?.[0]?.suggestion]).toEqual(['unknown_entity', 'Contact'])
    expect((await refused({ peerEntity: 'Site', eiRecordIds: [c1] })).code).toBe('unknown_entity')
    expect((await world.refusal('list_peer_instances', { entity: 'Site', record: 'x' }, tenant.key)).status).toBe(400)
    await call('attach_peer_entity', { entity: 'Machine', peerEntity: 'Machine' })
    const itself = await refused({ peerEntity: 'Machine', eiRecordIds: [m1] })
    expect(itself.message).toBe('A record is no peer of itself.')
    expect(await call('link_peer_instances', { entity: 'Machine', record: 'm2', peerEntity: 'Machine', eiRecordIds: [m1] })).toMatchObject({
      linked: 1,
    })
    for (const [record, other] of [
      ['m1', 'm2'],
      ['m2', 'm1'],
    ]) {
      const peers = await call('list_peer_instances', { entity: 'Machine', record, peerEntity: 'Machine' })
      expect(peers.map((one: { key1: string }) => one.key1)).toEqual([other])
    }
    // With two peer entities one has to be named.
    expect((await world.refusal('list_peer_instances', { entity: 'Machine', record: 'm1' }, tenant.key)).message).toContain('Contact')
  })

  it('take sight of both ends and the right to change one of them', async () => {
    const { tenant, call, link, unlink, keys, c1, c2, c3, m1 } = await arranged()
    await link('m1', [c1, c2])
    const { apiKey } = await call('create_api_key', { name: 'bound', roles: ['DataEdit', 'DataView'] })
    const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    const rules = (entity: string, ...more: object[]) => call('set_entity_access', { entity, rules: [builders, ...more] })
    await rules('Contact', { role: 'DataView', read: true, filter: [{ property: 'key1', op: 'ne', value: 'c2' }] })
    // Of contacts it sees some and changes none; of machines it changes all.
    expect(await keys('m1', 'Machine', {}, apiKey)).toEqual(['c1'])
    expect(await link('m1', [c3], apiKey)).toMatchObject({ linked: 1 })
    const refusedLink = (ids: number[]) =>
      world.refusal('link_peer_instances', { entity: 'Machine', record: String(m1), peerEntity: 'Contact', eiRecordIds: ids }, apiKey)
    expect((await refusedLink([c2])).issues?.[0]?.path).toBe('$.eiRecordIds[0]')
    await rules('Machine', { role: 'DataView', read: true })
    const forbidden = await refusedLink([c3])
    expect(forbidden.status).toBe(403)
    await expect(unlink('m1', [c3], apiKey)).rejects.toMatchObject({ status: 403 })
    expect(await keys('m1')).toEqual(['c1', 'c2', 'c3'])
    await rules('Machine')
    expect((await refusedLink([c3])).status).toBe(404)
    expect(await keys(c1, 'Contact', {}, apiKey)).toEqual([])
    await expect(keys('m1', 'Machine', {}, apiKey)).rejects.toMatchObject({ status: 404 })
    // The right to change the other end will do.
    await rules('Machine', { role: 'DataView', read: true })
    await rules('Contact', { role: 'DataView', read: true, edit: true })
    expect(await unlink('m1', [c3], apiKey)).toMatchObject({ unlinked: 1 })
    expect(tenant.tenantId).toBeGreaterThan(0)
  })

  it('are one alone where the relationship says so, from both ends, whoever links at once', async () => {
    const { tenant, link, unlink, keys, call, c1, c2, c3 } = await arranged({ isList: false })
    const { m1, m2 } = { m1: 'm1', m2: 'm2' }
    const both = await world.refusal(
      'link_peer_instances',
      { entity: 'Machine', record: m1, peerEntity: 'Contact', eiRecordIds: [c1, c2] },
      tenant.key,
    )
    expect([both.status, both.code]).toEqual([409, 'conflict'])
    const raced = await Promise.allSettled([link(m1, [c1]), link(m1, [c2]), link(m2, [c1])])
    expect(raced.filter((one) => one.status === 'fulfilled').length).toBeGreaterThan(0)
    const [of1, of2] = [await keys(m1), await keys(m2)]
    expect(of1.length + of2.length).toBe(raced.filter((one) => one.status === 'fulfilled').length)
    expect(Math.max(of1.length, of2.length)).toBe(1)
    expect(new Set([...of1, ...of2]).size).toBe(of1.length + of2.length)
    // A peer that is deleted leaves its place.
    for (const id of [c1, c2]) await unlink(m1, [id])
    await unlink(m2, [c1])
    await link(m1, [c3])
    await call('delete_instance', { entity: 'Contact', record: String(c3) })
    expect(await link(m1, [c1])).toMatchObject({ linked: 1 })
  })

  describe('of which one alone is allowed, when a deleted record comes back', () => {
    /** As `arranged`, with contacts as children of sites. */
    async function withSites() {
      const all = await arranged({ isList: false })
      const { call, tenant } = all
      await call('attach_child_entity', { entity: 'Site', childEntity: 'Contact', isList: true })
      const remove = (entity: string, record: string | number) => call('delete_instance', { entity, record: String(record) })
      const restore = (entity: string, record: string | number, key?: string) =>
        call('restore_instance', { entity, record: String(record) }, key)
      const refusal = async (entity: string, record: string | number, key = tenant.key) => {
        const { status, code, message, issues } = await world.refusal('restore_instance', { entity, record: String(record) }, key)
        return { status, code, message, paths: issues?.map(({ path }) => path) }
      }
      return { ...all, remove, restore, refusal }
    }

    it('stay one: who came between is named and unlinked first', async () => {
      const { link, unlink, keys, remove, restore, refusal, call, m1, c1, c2, c3 } = await withSites()
      await link('m1', [c1])
      await remove('Contact', c1)
      await link('m1', [c2])
      const reason = `Record ${m1} of Machine may have one peer of Contact alone, and has record ${c2} by now. Unlink that first.`
      expect(await refusal('Contact', c1)).toEqual({
        status: 409,
        code: 'conflict',
        message: `The record cannot be restored. ${reason}`,
        paths: ['$.record'],
      })
      expect([await keys('m1'), await call('count_instances', { entity: 'Contact' })]).toEqual([['c2'], { count: 2 }])
      await unlink('m1', [c2])
      await restore('Contact', c1)
      expect(await keys('m1')).toEqual(['c1'])
      // A place that nobody took is there still, and what has no peers asks for none.
      await remove('Machine', m1)
      await restore('Machine', m1)
      expect(await keys('m1')).toEqual(['c1'])
      await remove('Contact', c3)
      await restore('Contact', c3)
      // Below a record that comes back, too.
      await call('save_instance', { entity: 'Site', key1: 's', data: {} })
      await call('set_instance_parent', { entity: 'Contact', record: 'c1', parentKey1: 's' })
      await remove('Site', 's')
      await link('m1', [c2])
      expect((await refusal('Site', 's')).message).toContain(reason)
      await unlink('m1', [c2])
      expect(await restore('Site', 's')).toMatchObject({ restoredChildren: 1 })
      expect(await keys('m1')).toEqual(['c1'])
    })

    it('stay one for the record itself, whose peers came back before it', async () => {
      const { link, keys, remove, restore, refusal, m1, c1, c2 } = await withSites()
      await link('m1', [c1])
      await remove('Contact', c1)
      await link('m1', [c2])
      await remove('Machine', m1)
      await restore('Contact', c1)
      const { status, message } = await refusal('Machine', m1)
      expect([status, message]).toEqual([409, expect.stringMatching(/would have record \d+ and record \d+\. Delete one of these first\.$/)])
      await remove('Contact', c2)
      await restore('Machine', m1)
      expect(await keys('m1')).toEqual(['c1'])
    })

    it('stay one without naming records to who does not see them', async () => {
      const { link, remove, refusal, call, c1, c2 } = await withSites()
      const { apiKey } = await call('create_api_key', { name: 'bound', roles: ['DataView', 'DataDelete'] })
      await link('m1', [c1])
      await remove('Contact', c1)
      await link('m1', [c2])
      const filter = [{ property: 'eiRecordId', op: 'eq', value: c1 }]
      await call('set_entity_access', { entity: 'Contact', rules: [{ role: 'DataDelete', read: true, delete: true, filter }] })
      await call('set_entity_access', { entity: 'Machine', rules: [{ role: 'BuilderAdmin', read: true }] })
      expect((await refusal('Contact', c1, apiKey)).message).toBe(
        'The record cannot be restored. A record of Machine may have one peer of Contact alone, and has another one by now. Unlink that first.',
      )
    })

    it('stay one whoever links or restores at the same moment', async () => {
      const { link, keys, remove, restore, call } = await withSites()
      const made = async (entity: string, key1: string) => (await call('save_instance', { entity, key1, data: {} })).eiRecordId as number
      const outcomes: string[][] = []
      const linked: number[] = []
      for (let round = 0; round < 5; round++) {
        const machine = await made('Machine', `m-${round}`)
        const [first, second, third] = await Promise.all(['x', 'y', 'z'].map((name) => made('Contact', `${name}-${round}`)))
        if (!first || !second || !third) throw new Error('A contact was not made')
        await link(machine, [first])
        await remove('Contact', first)
        // A link takes the place while the one that had it comes back.
        await Promise.allSettled([restore('Contact', first), link(machine, [second])])
        linked.push((await keys(machine)).length)
        // Both ends of a link come back, while a third record has the place of one of them.
        const other = await made('Machine', `n-${round}`)
        await link(other, [third])
        await remove('Contact', third)
        await link(other, [await made('Contact', `w-${round}`)])
        await remove('Machine', other)
        const restored = await Promise.allSettled([restore('Contact', third), restore('Machine', other)])
        outcomes.push(restored.map(({ status }) => status).toSorted())
      }
      expect(linked).toEqual([1, 1, 1, 1, 1])
      expect(outcomes).toEqual(Array.from({ length: 5 }, () => ['fulfilled', 'rejected']))
    })
  })

  it('keep the last one where a peer is required', async () => {
    const { tenant, link, unlink, keys, call, m1, c1, c2 } = await arranged({ isRequired: true })
    await link('m1', [c1, c2])
    expect(await unlink('m1', [c1])).toMatchObject({ unlinked: 1 })
    const last = await world.refusal(
      'unlink_peer_instances',
      { entity: 'Machine', record: 'm1', peerEntity: 'Contact', eiRecordIds: [c2] },
      tenant.key,
    )
    expect([last.status, last.code]).toEqual([409, 'conflict'])
    const backwards = { entity: 'Contact', record: String(c2), peerEntity: 'Machine', eiRecordIds: [m1] }
    expect((await world.refusal('unlink_peer_instances', backwards, tenant.key)).status).toBe(409)
    expect(await keys('m1')).toEqual(['c2'])
    // Contacts need no machine: the link of another machine may end.
    await link('m2', [c1, c2])
    expect(await unlink('m2', [c2])).toMatchObject({ unlinked: 1 })
    expect(await call('count_instances', { entity: 'Machine' })).toEqual({ count: 2 })
  })

  it('of a record that has hundreds are not read to learn whether one is left', async () => {
    const { link, unlink, call, tenant, m1 } = await arranged({ isRequired: true })
    const rows = Array.from({ length: 300 }, (_, index) => ({ key1: `many-${index}`, data: {} }))
    const { results } = await call('save_instances_bulk', { entity: 'Contact', rows })
    const ids = results.map((one: { eiRecordId: number }) => one.eiRecordId) as number[]
    for (let from = 0; from < ids.length; from += 100) await link('m1', ids.slice(from, from + 100))
    answered.length = 0
    expect(await unlink('m1', ids.slice(0, 1))).toMatchObject({ unlinked: 1 })
    expect(answered).toEqual([2])
    // Deleted ones do not count among those that are left.
    const keys = rows.slice(1, 299).map(({ key1 }) => ({ key1 }))
    await call('delete_instances_bulk', { entity: 'Contact', keys })
    const last = { entity: 'Machine', record: String(m1), peerEntity: 'Contact', eiRecordIds: ids.slice(299) }
    expect((await world.refusal('unlink_peer_instances', last, tenant.key)).status).toBe(409)
  })

  it('keep their relationship from being detached while both live', async () => {
    const { tenant, link, call, c1 } = await arranged()
    await link('m1', [c1])
    expect((await world.refusal('detach_peer_entity', { entity: 'Machine', peerEntity: 'Contact' }, tenant.key)).status).toBe(409)
    await call('delete_instance', { entity: 'Contact', record: String(c1) })
    expect(await call('detach_peer_entity', { entity: 'Machine', peerEntity: 'Contact' })).toMatchObject({ deleted: true })
  })
})
