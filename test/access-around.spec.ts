/** The ways around a record that a caller does not see: conversations about it, its people, its files and its jobs. */
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
  await call('create_entity', { internalName: 'Order', properties: attached(['Site', 'Photo']) })
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
