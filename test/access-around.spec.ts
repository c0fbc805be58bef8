/** The ways around a record that a caller does not see: conversations about it, its people, its files and its jobs. */
import { readFile } from 'node:fs/promises'

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
/** A key that is bound by the rules of a test. */
let key: string

const everything = { read: true, create: true, edit: true, delete: true }
const builders = { role: 'BuilderAdmin', ...everything, seesSensitive: true }
const northern = { rules: [{ property: 'Site', op: 'eq', value: 'north' }] }

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Site', dataType: 'Text' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
  const attached = (names: string[]) => names.map((property) => ({ property }))
  await call('create_entity', { internalName: 'Order', properties: attached(['Site', 'Photo', 'Email']) })
  await call('create_entity', { internalName: 'Person', properties: attached(['Site', 'Email']) })
  await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
  key = await world.tenant.keyWith(['DataView', 'DataEdit', 'DataImport', 'DataDelete', 'FileEdit'])
})

const setRules = (entity: string, rules: object[]) => world.call('set_entity_access', { entity, rules })
const statusOf = async (name: string, input: object) => (await world.refusal(name, input, key)).status

beforeEach(async () => {
  await setRules('Order', [])
  await setRules('Person', [])
})

const save = async (entity: string, data: object): Promise<number> => (await world.call('save_instance', { entity, data })).eiRecordId

describe('messages', () => {
  it('are neither sent into a conversation about a record that is not seen, nor end it', async () => {
    const [north, south] = [await save('Order', { Site: 'north' }), await save('Order', { Site: 'south' })]
    const { tenantUserId } = await world.call('create_user', { userName: 'reached', email: 'reached@around.test', roles: ['DataView'] })
    const about = async (eiRecordId: number): Promise<number> =>
      (await world.call('send_message', { to: { tenantUserId }, text: 'Open?', eiRecordId })).conversationId
    const [seen, unseen] = [await about(north), await about(south)]
    await setRules('Order', [builders, { role: 'DataImport', read: true, filter: northern }])
    expect(await statusOf('send_message', { conversationId: unseen, text: 'mine' })).toBe(404)
    expect(await statusOf('end_conversation', { conversationId: unseen })).toBe(404)
    // At once: when somebody answers there would be something to learn from.
    const began = performance.now()
    expect(await statusOf('await_reply', { conversationId: unseen, timeoutSeconds: 55 })).toBe(404)
    expect(performance.now() - began).toBeLessThan(25_000)
    expect(await world.call('get_conversation', { conversationId: unseen })).toMatchObject({ state: 'open', lastSeq: 1 })
    expect(await statusOf('end_conversation', { conversationId: unseen, text: 'bye' })).toBe(404)
    expect((await world.call('send_message', { conversationId: seen, text: 'mine' }, { key })).seq).toBe(2)
    expect(await world.call('end_conversation', { conversationId: seen }, { key })).toEqual({ state: 'ended' })
    await world.call('end_conversation', { conversationId: unseen })
    expect(await statusOf('send_message', { conversationId: unseen, text: 'mine' })).toBe(404)
  })

  it('go to the people behind records that are seen alone', async () => {
    await world.call('create_user', { userName: 'behind', email: 'behind@around.test', roles: ['DataView'] })
    const eiRecordId = await save('Person', { Site: 'south', Email: 'behind@around.test' })
    await setRules('Person', [builders, { role: 'DataImport', read: true, filter: northern }])
    const refused = await world.refusal('send_message', { to: { eiRecordId }, text: 'hello' }, key)
    const absent = await world.refusal('send_message', { to: { eiRecordId: 999_999_999 }, text: 'hello' }, key)
    expect([refused.status, refused.message]).toEqual([400, absent.message.replace('999999999', String(eiRecordId))])
    await world.call('upsert_instance', { entity: 'Person', record: String(eiRecordId), data: { Site: 'north' } })
    expect((await world.call('send_message', { to: { eiRecordId }, text: 'hello' }, { key })).status).toBe('delivered')
  })
})

describe('reports', () => {
  it('show what is withheld as empty, and ask nothing by it', async () => {
    await save('Order', { Site: 'west', Email: 'order@around.test' })
    await setRules('Order', [
      builders,
      { role: 'DataImport', read: true, filter: { rules: [{ property: 'Site', op: 'eq', value: 'west' }] }, hidden: ['Email'] },
    ])
    const { entityId } = (await world.call('describe_entity', { entity: 'Order' })).entity
    const columns = [{ property: 'Site' }, { property: 'Email', alias: 'mail' }]
    const report = (more: object, by = key) =>
      world.call('execute_report_inline', { definitionJson: { primaryEntityId: entityId, columns, ...more } }, { key: by })
    const rowsOf = async (by: string) => (await report({}, by)).rows.map((row: { data: object }) => row.data)
    expect(await rowsOf(key)).toEqual([{ Order_Site: 'west', mail: null }])
    expect(await rowsOf(world.tenant.key)).toContainEqual({ Order_Site: 'west', mail: 'order@around.test' })
    expect(await rowsOf(await world.tenant.keyWith(['DataView']))).toEqual([])
    const email = { property: 'Email' }
    for (const more of [
      { sort: [{ property: 'mail', direction: 'asc' }] },
      { sort: [{ ...email, direction: 'asc' }] },
      { filters: { rules: [{ ...email, op: 'isNotEmpty' }] } },
      { aggregates: [{ fn: 'COUNT' }] },
      { columns: [], groupBy: [email], aggregates: [{ fn: 'COUNT' }] },
      { columns: [], aggregates: [{ ...email, fn: 'MAX' }] },
    ])
      await expect(report(more)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('withheld') })
  })
})

describe('lists of what is about records', () => {
  it('count and number what is seen alone', async () => {
    const { tenantUserId } = await world.call('create_user', { userName: 'listed', email: 'listed@around.test', roles: ['DataView'] })
    const ids: number[] = []
    for (let n = 0; n < 9; n++) {
      const eiRecordId = await save('Order', { Site: n % 3 === 2 ? 'north' : 'south' })
      const sent = await world.call('send_message', { to: { tenantUserId }, text: 'Open?', eiRecordId })
      if (n % 3 === 2) ids.unshift(sent.conversationId)
    }
    await setRules('Order', [builders, { role: 'DataImport', read: true, filter: northern }])
    const list = async (input: object) => {
      const found = (await world.run('list_conversations', { tenantUserId, ...input }, { key })) as Page
      return { ...found, ids: found.items.map((item) => item.conversationId) }
    }
    expect(await list({})).toMatchObject({ ids, totalCount: 3 })
    expect(await list({ pageSize: 2, page: 1 })).toMatchObject({ ids: ids.slice(0, 2), totalCount: 3, nextCursor: expect.any(String) })
    const second = await list({ pageSize: 2, page: 2 })
    expect([second.ids, second.nextCursor]).toEqual([ids.slice(2), undefined])
    const walked: number[] = []
    let cursor: string | undefined
    do {
      const found = await list({ pageSize: 1, ...(cursor === undefined ? {} : { cursor }) })
      walked.push(...found.ids)
      cursor = found.nextCursor
    } while (cursor !== undefined && walked.length < 9)
    expect(walked).toEqual(ids)
  })
})

interface Page {
  readonly items: { readonly conversationId: number }[]
  readonly nextCursor?: string
  readonly totalCount?: number
}

describe('files', () => {
  const upload = async (name: string, by?: string): Promise<string> => {
    const contentBase64 = Buffer.from(`bytes of ${name}`).toString('base64')
    const made = await world.call(
      'upload_asset',
      { fileName: `${name}.txt`, contentBase64 },
      { transport: 'mcp', ...(by ? { key: by } : {}) },
    )
    return made.assetKey
  }
  const holding = async (Photo: string, Site = 'north') => save('Order', { Site, Photo })
  const reached = async (assetKey: string) => world.call('get_asset', { assetKey }, { key }).then(Boolean, (error) => error.status)

  it('that records under rules hold are listed to their makers alone', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const keys = [] as string[]
    for (const name of names) keys.push(await upload(`listed-${name}`, name === 'b' ? key : undefined))
    for (const assetKey of keys.slice(0, 4)) await holding(assetKey)
    await setRules('Order', [builders, { role: 'DataImport', read: true }])
    const list = async (input: object, by: string) =>
      (await world.run('list_assets', { search: 'listed-', ...input }, { key: by })) as Files
    const [a, b, c, d, e, f] = keys
    const mine = await list({}, key)
    expect([mine.items.map((file) => file.assetKey), mine.totalCount]).toEqual([[f, e, b], 3])
    const makers = await list({}, world.tenant.key)
    expect([makers.items.map((file) => file.assetKey), makers.totalCount]).toEqual([[f, e, d, c, a], 5])
    const second = await list({ page: 2, pageSize: 2 }, key)
    expect([second.items.map((file) => file.assetKey), second.nextCursor]).toEqual([[b], undefined])
    expect(await reached(String(a))).toBe(true)
    await setRules('Order', [])
    expect((await list({}, key)).totalCount).toBe(6)
  })

  it('are reached by who sees a record that holds them, or held them before', async () => {
    const [north, south, replaced] = [await upload('north'), await upload('south'), await upload('replaced')]
    const record = await holding(replaced)
    await holding(south, 'south')
    await world.call('upsert_instance', { entity: 'Order', record: String(record), data: { Photo: north } })
    const before = await world.sql`select asset_key, ei_record_id, entity_property_id, entity_id from platform.file_holder order by 1, 2`
    expect(before.length).toBeGreaterThan(2)
    const rules = [builders, { role: 'DataImport', read: true, filter: northern }]
    await setRules('Order', rules)
    expect([await reached(north), await reached(replaced), await reached(south)]).toEqual([true, true, 404])
    await setRules('Order', [builders, { ...rules[1], hidden: ['Photo'] }])
    expect([await reached(north), await reached(replaced), await reached(south)]).toEqual([404, 404, 404])
    // What records of earlier releases hold is found by the migration.
    const migration = await readFile('platform/db/migrations/0022_file_holders.sql', 'utf8')
    await world.sql`delete from platform.file_holder`
    expect(await reached(south)).toBe(true)
    await world.sql.unsafe(migration.slice(migration.indexOf('do $$')))
    expect(await world.sql`select asset_key, ei_record_id, entity_property_id, entity_id from platform.file_holder order by 1, 2`).toEqual(
      before,
    )
  })

  it('are not deleted out of a record that their deleter may not change', async () => {
    const [held, own] = [await upload('held'), await upload('own', key)]
    await holding(held)
    await holding(own)
    const south = await upload('south')
    await holding(south, 'south')
    for (const rule of [
      {},
      { edit: true, readOnly: ['Photo'] },
      { edit: true, filter: { rules: [{ property: 'Site', op: 'eq', value: 'west' }] } },
    ]) {
      await setRules('Order', [builders, { role: 'DataImport', read: true, filter: northern }, { role: 'DataImport', ...rule }])
      for (const assetKey of [held, own]) expect(await statusOf('delete_asset', { assetKey })).toBe(403)
      expect(await statusOf('delete_asset', { assetKey: south })).toBe(404)
    }
    await setRules('Order', [builders, { role: 'DataImport', read: true, edit: true, filter: northern }])
    expect((await world.call('delete_asset', { assetKey: held }, { key })).deleted).toBe(true)
    expect(await world.call('get_asset', { assetKey: own })).toMatchObject({ assetKey: own })
  })
})

interface Files {
  readonly items: { readonly assetKey: string }[]
  readonly nextCursor?: string
  readonly totalCount?: number
}

describe('jobs about a record', () => {
  it('are seen by who sees the record, and tell what came of a property to who sees that', async () => {
    const { call } = world
    await call('set_attachment_analysis', { entity: 'Order', entityPropertyId: 'Photo', ocr: true })
    const contentBase64 = Buffer.from('a photograph').toString('base64')
    const { assetKey } = await call('upload_asset', { fileName: 'around.txt', contentBase64 }, { transport: 'mcp' })
    const saved = await call('save_instance', { entity: 'Order', data: { Site: 'south', Photo: assetKey } })
    const jobId: number = saved.jobIds[0]
    await world.sql`update platform.job set result = ${world.sql.json({ state: 'done', assetKey })} where job_id = ${jobId}`
    await world.sql`
      insert into platform.job_log (tenant_id, job_id, line_no, at, attempt, level, message)
      select tenant_id, job_id, 1, now(), 1, 'info', 'read' from platform.job where job_id = ${jobId}`
    await world.sql`update platform.job set log_lines = 1 where job_id = ${jobId}`
    const mine = (name: string, input: object = {}) => call(name, { jobId, ...input }, { key })
    const listed = async () => {
      const found = (await world.run('list_jobs', {}, { key })) as { items: { jobId: number }[]; totalCount: number }
      return { isListed: found.items.some((job) => job.jobId === jobId), isCounted: found.totalCount === found.items.length }
    }
    expect((await mine('get_job')).result).toMatchObject({ assetKey })
    expect(await mine('get_job_log')).toHaveLength(1)
    await setRules('Order', [builders, { role: 'DataImport', read: true, filter: northern }])
    for (const name of ['get_job', 'get_job_log', 'await_job', 'cancel_job', 'retry_job'])
      expect([name, await statusOf(name, { jobId })]).toEqual([name, 404])
    expect(await listed()).toEqual({ isListed: false, isCounted: true })
    await setRules('Order', [builders, { role: 'DataImport', read: true, hidden: ['Photo'] }])
    expect(await mine('get_job')).toMatchObject({ jobId, state: 'queued' })
    expect([(await mine('get_job')).result, (await mine('await_job', { timeoutSeconds: 0 })).result]).toEqual([undefined, undefined])
    expect(await mine('get_job_log')).toEqual([])
    expect(JSON.stringify(await call('list_jobs', {}, { key }))).not.toContain(assetKey)
    expect(await listed()).toEqual({ isListed: true, isCounted: true })
    expect((await call('get_job', { jobId })).result).toMatchObject({ assetKey })
  })
})
