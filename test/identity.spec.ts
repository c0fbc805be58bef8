/** Records that are people: linked to the users who have their e-mail or phone, whichever of the two came first. */
import { describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

interface People {
  readonly entity: string
  readonly email: string
  readonly phone: string
}

/** An entity with an e-mail and a phone property, not bridged yet. */
async function newPeople(): Promise<People> {
  const [entity, email, phone] = [unique('Person'), unique('Mail'), unique('Phone')]
  await call('create_property', { internalName: email, dataType: 'Text', isIdentityEmail: true })
  await call('create_property', { internalName: phone, dataType: 'Text', isIdentityPhone: true })
  await call('create_entity', { internalName: entity, properties: [{ property: email }, { property: phone }] })
  return { entity, email, phone }
}

const bridge = ({ entity }: People, more: Record<string, unknown> = {}) =>
  call('set_entity_identity_bridge', { entity, isTenantUserRole: true, ...more })

async function record({ entity }: People, data: Record<string, unknown>): Promise<number> {
  return (await call('save_instance', { entity, key1: unique('k'), data })).eiRecordId
}

/** Who the records of the entity are: `record → [user, matched by]`. */
async function linksOf({ entity }: People): Promise<Record<number, [number, string]>> {
  const links: { eiRecordId: number; tenantUserId: number; matchedBy: string }[] = await call('list_identity_links', { entity })
  return Object.fromEntries(links.map((link) => [link.eiRecordId, [link.tenantUserId, link.matchedBy]]))
}

const contactOf = (user: { contacts: { contactId: number; kind: string }[] }, kind: string) =>
  user.contacts.find((contact) => contact.kind === kind)?.contactId

describe('a link', () => {
  it('follows the contacts of users: made, moved and gone with them, without a save of the record', async () => {
    const people = await newPeople()
    await bridge(people)
    const address = `${unique('ana')}@example.com`
    const eiRecordId = await record(people, { [people.email]: ` ${address.toUpperCase()} `, [people.phone]: '+34 612 000 111' })
    expect(await linksOf(people)).toEqual({})
    const ana = await call('create_user', { email: address })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [ana.tenantUserId, 'email'] })

    await call('remove_user_contact', { tenantUserId: ana.tenantUserId, contactId: contactOf(ana, 'email') })
    expect(await linksOf(people)).toEqual({})
    await expect(call('send_message', { to: { eiRecordId }, text: 'Hello' })).rejects.toMatchObject({ code: 'invalid_input' })

    const ben = await call('create_user', { userName: unique('ben') })
    await call('add_user_contact', { tenantUserId: ben.tenantUserId, kind: 'phone', value: '+34612000111' })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [ben.tenantUserId, 'phone'] })
    const sent = await call('send_message', { to: { eiRecordId }, text: 'Hello' })
    expect(await call('get_conversation', { conversationId: sent.conversationId })).toMatchObject({ tenantUserId: ben.tenantUserId })
  })

  it('goes by the e-mail first, and by the phone where nobody has the e-mail', async () => {
    const people = await newPeople()
    await bridge(people)
    const address = `${unique('eva')}@example.com`
    const eiRecordId = await record(people, { [people.email]: address, [people.phone]: '+34 612 000 222' })
    const byPhone = await call('create_user', { userName: unique('phone'), phone: '+34612000222' })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [byPhone.tenantUserId, 'phone'] })
    const byEmail = await call('find_or_create_user', { email: address })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [byEmail.tenantUserId, 'email'] })
    await call('remove_user_contact', { tenantUserId: byEmail.tenantUserId, contactId: contactOf(byEmail, 'email') })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [byPhone.tenantUserId, 'phone'] })
  })

  it('follows the record: another e-mail is another person, none is nobody, and a deleted record is gone', async () => {
    const people = await newPeople()
    await bridge(people)
    const [one, two] = [
      await call('create_user', { email: `${unique('a')}@example.com` }),
      await call('create_user', { email: `${unique('b')}@example.com` }),
    ]
    const eiRecordId = await record(people, { [people.email]: one.email })
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [one.tenantUserId, 'email'] })
    const change = (value: string | null) =>
      call('upsert_instance', { entity: people.entity, record: String(eiRecordId), data: { [people.email]: value } })
    await change(two.email)
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [two.tenantUserId, 'email'] })
    await change(null)
    expect(await linksOf(people)).toEqual({})
    await change(one.email)
    expect(await linksOf(people)).toEqual({ [eiRecordId]: [one.tenantUserId, 'email'] })
    await call('delete_instance', { entity: people.entity, record: String(eiRecordId) })
    expect(await linksOf(people)).toEqual({})
  })

  it('tells when it began: the later of the record and the contact', async () => {
    const people = await newPeople()
    await bridge(people)
    const address = `${unique('late')}@example.com`
    await record(people, { [people.email]: address })
    const { createdDate } = await call('create_user', { email: address })
    const [link] = await call('list_identity_links', { entity: people.entity })
    expect(link.linkedDate).toBe(createdDate)
  })
})

describe('a bridge', () => {
  it('links the records that are there already, however many', async () => {
    const people = await newPeople()
    const many = 4_500
    const rows = Array.from({ length: many }, (_, n) => ({ key1: `r${n}`, data: { [people.email]: `nobody${n}@example.com` } }))
    const last = await call('create_user', { email: `nobody${many - 1}@example.com` })
    const first = await call('create_user', { phone: '+34612000333' })
    await call('save_instances_bulk', { entity: people.entity, rows })
    const phoned = await record(people, { [people.phone]: '+34 (612) 000-333' })
    expect(await bridge(people)).toMatchObject({ isTenantUserRole: true, linkedRecords: 2 })
    const found = await call('get_instance', { entity: people.entity, record: `r${many - 1}` })
    expect(await linksOf(people)).toEqual({
      [found.eiRecordId]: [last.tenantUserId, 'email'],
      [phoned]: [first.tenantUserId, 'phone'],
    })
  })

  it('that goes by another property from now on lets go of what the old one said', async () => {
    const people = await newPeople()
    const user = await call('create_user', { email: `${unique('old')}@example.com`, phone: '+34612000444' })
    const byEmail = await record(people, { [people.email]: user.email })
    const byPhone = await record(people, { [people.phone]: user.phone })
    await bridge(people)
    expect(Object.keys(await linksOf(people)).map(Number)).toEqual([byEmail, byPhone])
    await bridge(people, { identityEmailProperty: null })
    expect(Object.keys(await linksOf(people)).map(Number)).toEqual([byPhone])
    expect(await call('set_entity_identity_bridge', { entity: people.entity, isTenantUserRole: false })).toMatchObject({ linkedRecords: 0 })
    expect(await linksOf(people)).toEqual({})
  })

  it('is set while records are being saved, and none of them is left with what it said before', async () => {
    const people = await newPeople()
    const users = await Promise.all(Array.from({ length: 4 }, () => call('create_user', { email: `${unique('race')}@example.com` })))
    const ids = await Promise.all(users.map(() => record(people, { [people.email]: 'before@example.com' })))
    await call('create_user', { email: 'before@example.com' })
    const saving = users.map((user, n) =>
      call('upsert_instance', { entity: people.entity, record: String(ids[n]), data: { [people.email]: user.email } }),
    )
    await Promise.all([...saving, bridge(people)])
    expect(await linksOf(people)).toEqual(Object.fromEntries(users.map((user, n) => [ids[n], [user.tenantUserId, 'email']])))
  })
})
