/** The log of what happened: what is told, to whom, and what of it is not. */
import { beforeAll, describe, expect, it } from 'vitest'

import { recordEvents } from '#tools/events/record-events.ts'

import { leastMs, longestTurn, turnLimitMs } from './support/turns.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

interface Told {
  readonly eventId: string
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
  readonly data: any
}

let tenant: TestTenant
let as: { readonly key: string }
let entityId: number

beforeAll(async () => {
  tenant = await world.newTenant()
  as = { key: tenant.key }
  await call('create_property', { internalName: 'Name', dataType: 'Text' }, as)
  await call('create_property', { internalName: 'Secret', dataType: 'Text', isSensitive: true }, as)
  const properties = [{ property: 'Name' }, { property: 'Secret' }]
  entityId = (await call('create_entity', { internalName: 'Pump', properties }, as)).entityId
})

const eventsOf = async (kinds: readonly string[], key = tenant.key): Promise<Told[]> =>
  call('list_events', { kinds, pageSize: 1_000 }, { key })

const rowsOf = async (kind: string) => {
  const [row] = await world.sql<[{ count: number }]>`
    select count(*)::int as count from platform.event where tenant_id = ${tenant.tenantId} and kind = ${kind}`
  return row.count
}

describe('the log', () => {
  it('tells of a record that is new, changed, deleted and back again, with what changed, and nothing that is sensitive', async () => {
    const { eiRecordId } = await call('save_instance', { entity: 'Pump', key1: 'P-1', data: { Name: 'a', Secret: 'hush' } }, as)
    await call('save_instance', { entity: 'Pump', key1: 'P-1', data: { Name: 'b', Secret: 'hushed' } }, as)
    await call('delete_instance', { entity: 'Pump', record: String(eiRecordId) }, as)
    await call('restore_instance', { entity: 'Pump', record: eiRecordId }, as)
    const told = (await eventsOf(['record.created', 'record.updated', 'record.deleted', 'record.restored'])).filter(
      ({ data }) => data.eiRecordId === eiRecordId,
    )
    expect(told.map(({ type, data }) => [type, data.version, data.changed, data.values])).toEqual([
      ['record.restored', 4, [], { Name: 'b' }],
      ['record.deleted', 3, [], { Name: 'b' }],
      ['record.updated', 2, ['Name'], { Name: 'b' }],
      ['record.created', 1, ['Name'], { Name: 'a' }],
    ])
    const { tenantId, tenantUserId } = tenant
    expect(told[2]?.data).toMatchObject({ tenantId, entity: 'Pump', entityId, externalKey: 'P-1', by: tenantUserId })
    expect(JSON.stringify(told)).not.toContain('hush')
    const numbers = told.map(({ data }) => BigInt(data.changeNo))
    expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? 1 : -1)))
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(4)
  })

  it('keeps one row of a bulk, lists each of its records, and nothing of what stays as it is', async () => {
    const [rowsBefore, before] = [await rowsOf('record.created'), (await eventsOf(['record.created'])).length]
    const rows = Array.from({ length: 30 }, (_, at) => ({ key1: `B-${at}`, data: { Name: 'x' } }))
    await call('save_instances_bulk', { entity: 'Pump', rows }, as)
    await call('save_instances_bulk', { entity: 'Pump', rows }, as)
    expect(await rowsOf('record.created')).toBe(rowsBefore + 1)
    expect((await eventsOf(['record.created'])).length).toBe(before + 30)
    expect((await eventsOf(['record.updated'])).filter(({ data }) => String(data.externalKey).startsWith('B-'))).toEqual([])
  })

  it('pages through the records of a bulk, each once', async () => {
    const all = (await eventsOf(['record.created'])).map(({ eventId }) => eventId)
    expect(all.length).toBeGreaterThan(30)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const input = { kinds: ['record.created'], pageSize: 7, ...(cursor === undefined ? {} : { cursor }) }
      const page = (await world.run('list_events', input, as)) as { items: Told[]; nextCursor?: string }
      paged.push(...page.items.map(({ eventId }) => eventId))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(paged).toEqual(all)
  })

  it('shows nobody a record, or a value, that access rules keep from them', async () => {
    await call('create_entity', { internalName: 'Visit', properties: [{ property: 'Name' }] }, as)
    await call('attach_property', { entity: 'Visit', property: 'Secret' }, as)
    await call('create_property', { internalName: 'Hidden', dataType: 'Text' }, as)
    await call('attach_property', { entity: 'Visit', property: 'Hidden' }, as)
    const seeing = await tenant.keyWith(['AdminIntegration', 'DataView'])
    const { tenantUserId } = await call('whoami', {}, { key: seeing })
    for (const Name of ['mine', 'theirs'])
      await call('save_instance', { entity: 'Visit', key1: Name, data: { Name, Hidden: 'unseen' } }, as)
    const filter = { rules: [{ property: 'Name', op: 'eq', value: 'mine' }] }
    await call('set_entity_access', { entity: 'Visit', rules: [{ tenantUserId, read: true, filter, hidden: ['Hidden'] }] }, as)
    const told = (await eventsOf(['record.created'], seeing)).filter(({ data }) => data.entity === 'Visit')
    expect(told.map(({ data }) => [data.externalKey, data.changed, data.values])).toEqual([['mine', ['Name'], { Name: 'mine' }]])
    // The administrator, whom no rule reaches, sees none of them.
    expect((await eventsOf(['record.created'])).filter(({ data }) => data.entity === 'Visit')).toEqual([])
  })

  it('asks for DataView where records are told of, and shows the rest without', async () => {
    const key = await tenant.keyWith(['AdminIntegration'])
    expect(await world.refusal('list_events', { kinds: ['record.created'] }, key)).toMatchObject({ code: 'forbidden' })
    await call('create_user', { userName: 'told', email: 'told@people.test', roles: [] }, as)
    const told: Told[] = await call('list_events', {}, { key })
    expect(told.map(({ type }) => type)).toContain('user.created')
    expect(told.filter(({ type }) => type.startsWith('record.'))).toEqual([])
  })

  it('tells of a wipe once, and of none of its deletions', async () => {
    await call('create_entity', { internalName: 'Draft', properties: [{ property: 'Name' }] }, as)
    const rows = ['D-1', 'D-2'].map((key1) => ({ key1, data: { Name: key1 } }))
    await call('save_instances_bulk', { entity: 'Draft', rows }, as)
    const before = await rowsOf('record.deleted')
    await call('wipe_instances', { entity: 'Draft', confirmation: 'Draft' }, as)
    expect(await rowsOf('record.deleted')).toBe(before)
    const [told] = await eventsOf(['job.completed'])
    expect(told?.data).toMatchObject({ kind: 'instanceWipe', state: 'succeeded', done: 2, jobId: null })
  })

  it('tells of files, messages, users and keys by their ids alone', async () => {
    const contentBase64 = Buffer.from('of a test').toString('base64')
    const { assetKey } = await call('upload_asset', { fileName: 'note.txt', contentBase64 }, { ...as, transport: 'mcp' })
    const sent = await call('send_message', { to: { tenantUserId: tenant.tenantUserId }, text: 'Is gate 4 open?' }, as)
    await call('answer_inbox_message', { messageId: sent.messageId, text: 'It is' }, as)
    await call('end_conversation', { conversationId: sent.conversationId }, as)
    const { apiKeyId } = await call('create_api_key', { name: 'short', roles: ['DataView'] }, as)
    await call('revoke_api_key', { apiKeyId }, as)
    const { tenantUserId } = await call('create_user', { userName: 'ana', email: 'ana@people.test', roles: [] }, as)
    const kinds = [
      'asset.saved',
      'message.sent',
      'message.delivered',
      'message.received',
      'conversation.ended',
      'apiKey.revoked',
      'user.created',
    ]
    const told = await eventsOf(kinds)
    const dataOf = (kind: string) => told.find(({ type }) => type === kind)?.data
    const { conversationId, messageId } = sent
    expect(dataOf('asset.saved')).toMatchObject({ assetKey, mimeType: 'text/plain', sizeBytes: 9 })
    expect(dataOf('message.sent')).toMatchObject({ conversationId, messageId, seq: 1, channel: 'inbox' })
    expect(dataOf('message.delivered')).toMatchObject({ messageId })
    expect(dataOf('message.received')).toMatchObject({ conversationId, seq: 2, by: tenant.tenantUserId })
    expect(dataOf('conversation.ended')).toMatchObject({ conversationId })
    expect(dataOf('apiKey.revoked')).toMatchObject({ apiKeyId })
    expect(dataOf('user.created')).toMatchObject({ tenantUserId })
    expect(JSON.stringify(told)).not.toMatch(/gate 4|It is|note\.txt|people\.test/)
  })

  it('tells of what came through a form, once, and not of an answer that changes nothing', async () => {
    const sections = [{ type: 'detail', name: 'all', fields: [{ property: 'Name' }] }]
    const form = await call('create_form', { entity: 'Pump', internalName: 'PumpForm', isShared: true, layoutJson: { sections } }, as)
    const saved = await call('create_form_record', { form: 'PumpForm', key1: 'F-1', values: { Name: 'by form' } }, as)
    const record = saved.eiRecordId
    await call('update_form_record', { form: 'PumpForm', record, values: { Name: 'by form' } }, as)
    const told = await eventsOf(['form.submitted'])
    expect(told.map(({ data }) => [data.form, data.eiRecordId, data.version, data.values])).toEqual([
      ['PumpForm', record, 1, { Name: 'by form' }],
    ])
    expect(form.internalName).toBe('PumpForm')
  })

  it('names every kind that it tells of, with the schema that its events fulfil', async () => {
    const kinds: { kind: string; schema: { properties: object; required: string[] } }[] = await call('list_event_kinds', {}, as)
    const told: Told[] = await call('list_events', { pageSize: 1_000 }, as)
    expect(new Set(told.map(({ type }) => type)).size).toBeGreaterThan(9)
    for (const { type, data } of told) {
      const { schema } = kinds.find(({ kind }) => kind === type) ?? { schema: { properties: {}, required: [] } }
      expect(Object.keys(data).filter((name) => !(name in schema.properties))).toEqual([])
      expect(schema.required.filter((name) => !(name in data))).toEqual([])
    }
  })

  it('pages through events that are about no record, each once', async () => {
    for (let at = 0; at < 25; at++) await call('create_user', { userName: `p${at}`, email: `p${at}@people.test`, roles: [] }, as)
    const all = (await eventsOf(['user.created'])).map(({ eventId }) => eventId)
    expect(all.length).toBeGreaterThan(24)
    expect(new Set(all).size).toBe(all.length)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const input = { kinds: ['user.created'], pageSize: 1, ...(cursor === undefined ? {} : { cursor }) }
      // A list over MCP says how it goes on.
      const page = (await world.run('list_events', input, { ...as, transport: 'mcp' })) as { items: Told[]; nextCursor?: string }
      paged.push(...page.items.map(({ eventId }) => eventId))
      cursor = page.nextCursor
    } while (cursor !== undefined && paged.length <= all.length)
    expect(paged).toEqual(all)
  })

  it('looks for watched changes in many records without holding others up', async () => {
    const properties = Array.from({ length: 300 }, (_, at) => ({ propertyId: at, entityPropertyId: at }))
    const watched = new Map([['record.updated', new Set(properties.map(({ propertyId }) => propertyId))]])
    const values = () => new Map(properties.map(({ entityPropertyId }) => [entityPropertyId, `of ${entityPropertyId}`]))
    const changes = Array.from({ length: 5_000 }, (_, id) => ({ id, version: 2, kind: 'modified', before: values(), after: values() }))
    const told: unknown[] = []
    const tx = (_text: unknown, ...parameters: unknown[]) => ({
      execute: async () => (told.push(JSON.parse(String(parameters.at(-1)))), []),
    })
    const context = { tx, tenantId: 1, stamp: '', actor: {}, origin: { kind: 'call', depth: 0 }, services: {}, assume: () => {} }
    const hear = () => recordEvents.hear(context as never, { entity: { entityId: 1, properties, watched } } as never, changes as never)
    const ms = await leastMs(async () => (await longestTurn(hear)).ms)
    expect(told[0]).toMatchObject([{ kind: 'record.updated', isWatched: false }])
    expect(ms).toBeLessThan(turnLimitMs)
  })
})
