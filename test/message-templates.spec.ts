/** Message templates: texts per language and channel, checked when they are saved, filled in for each recipient when they go out. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { variantFor } from '#tools/messaging/templates/templates.rules.ts'

import { type Deliverer, newPhone, openDeliverer } from './support/messaging.ts'
import { pathsOf, refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let deliverer: Deliverer
let eiRecordId = 0
let names = 0
const fresh = () => `Template${++names}`

/** A user who speaks a language, and what is in their inbox. */
async function newReader(languageCode: string, timeZoneIana = 'Europe/Madrid') {
  const email = `${randomUUID()}@readers.test`
  const made = await call('create_user', {
    userName: email,
    email,
    displayName: 'Ana *Ruiz*',
    roles: ['DataView'],
    language: languageCode,
    timezone: timeZoneIana,
  })
  const tenantUserId: number = made.tenantUserId
  return { to: { tenantUserId }, textIn: async (conversationId: number): Promise<string> => textOf(conversationId) }
}

async function textOf(conversationId: number): Promise<string> {
  const { messages } = await call('get_conversation', { conversationId })
  return messages.at(-1).text
}

const save = (internalName: string, said: object) => call('save_message_template', { internalName, languageCode: 'en-US', ...said })

beforeAll(async () => {
  deliverer = openDeliverer(world)
  await call('create_channel', { internalName: 'Trial', channel: 'sms', provider: 'sandbox', settings: {} })
  await call('create_property', { internalName: 'Title', dataType: 'Text' })
  await call('create_property', { internalName: 'Cost', dataType: 'Number' })
  await call('create_property', { internalName: 'DoorCode', dataType: 'Text', isSensitive: true })
  await call('create_property', {
    internalName: 'Stage',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'underWay', displays: [{ languageCode: 'de-DE', name: 'Unterwegs' }] }],
  })
  const properties = ['Title', 'Cost', 'DoorCode', 'Stage'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'WorkOrder', properties })
  const data = { Title: 'Gate [[$now]] & *4*', Cost: 1234.5, DoorCode: '8841', Stage: 'underWay' }
  ;({ eiRecordId } = await call('save_instance', { entity: 'WorkOrder', key1: 'WO-1', data }))
})
afterAll(() => deliverer?.close())

describe('a template that is saved', () => {
  it('is refused for names that nothing has, with the nearest, and for an entity that is not named', async () => {
    const wrong = await world.refusal('save_message_template', {
      internalName: fresh(),
      languageCode: 'en-US',
      entity: 'WorkOrder',
      text: 'About [[WorkOrder.Titel]]',
      card: { title: '[[$recipent.displayName]]', link: { label: 'x', url: 'javascript:alert(1)' } },
    })
    expect(wrong.code).toBe('invalid_input')
    expect((wrong.issues ?? []).map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['$.text', 'Title'],
      ['$.card.title', '$recipient'],
      ['$.card.link.url', undefined],
    ])
    const unnamed = await world.refusal('save_message_template', {
      internalName: fresh(),
      languageCode: 'en-US',
      text: '[[WorkOrder.Title]]',
    })
    expect(unnamed.issues).toMatchObject([{ path: '$.entity', suggestion: 'WorkOrder' }])
    const language = await world.refusal('save_message_template', { internalName: fresh(), languageCode: 'en-UK', text: 'x' })
    expect(pathsOf(language)).toEqual(['$.languageCode'])
    await expect(save(fresh(), {})).rejects.toMatchObject(refused('invalid_input', /empty/))
    await expect(save(fresh(), { entity: 'Wokorder', text: 'x' })).rejects.toMatchObject(refused('unknown_entity', /no entity/))
  })

  it('takes the place of the text in the same language on the same channel, and stands beside all others', async () => {
    const name = fresh()
    await save(name, { text: 'One' })
    await save(name, { languageCode: 'DE-de', text: 'Eins' })
    await save(name, { channel: 'sms', text: '1' })
    const saved = await save(name.toLowerCase(), { text: 'Two [[$param.gate]]' })
    expect(saved).toMatchObject({ internalName: name.toLowerCase(), params: ['gate'], validation: null })
    expect(saved.variants).toEqual([
      { languageCode: 'en-US', channel: null, text: 'Two [[$param.gate]]' },
      { languageCode: 'de-DE', channel: null, text: 'Eins' },
      { languageCode: 'en-US', channel: 'sms', text: '1' },
    ])
    const listed = await call('list_message_templates', {})
    expect(listed.filter((one: { templateId: number }) => one.templateId === saved.templateId)).toEqual([saved])
    const left = await call('delete_message_template', { templateId: saved.templateId, languageCode: 'de-DE' })
    expect(left).toEqual({ templateId: saved.templateId, variantsLeft: 2 })
    const again = call('delete_message_template', { templateId: saved.templateId, languageCode: 'de-DE' })
    await expect(again).rejects.toMatchObject(refused('not_found'))
    await call('delete_message_template', { templateId: saved.templateId, languageCode: 'en-US', channel: 'sms' })
    expect(await call('delete_message_template', { templateId: saved.templateId, languageCode: 'en-US' })).toMatchObject({
      variantsLeft: 0,
    })
    await expect(call('delete_message_template', { templateId: saved.templateId })).rejects.toMatchObject(refused('not_found'))
  })

  it('is another tenant’s to nobody', async () => {
    const saved = await save(fresh(), { text: 'Ours' })
    const { key, tenantUserId } = await world.newTenant()
    expect(await call('list_message_templates', {}, { key })).toEqual([])
    await expect(call('delete_message_template', { templateId: saved.templateId }, { key })).rejects.toMatchObject(refused('not_found'))
    const sending = call('send_message', { to: { tenantUserId }, template: saved.internalName }, { key })
    await expect(sending).rejects.toMatchObject(refused('invalid_input', /no message template|no template/))
  })

  it('goes with a renamed property, and keeps a used one from being deleted', async () => {
    await call('create_property', { internalName: 'Spot', dataType: 'Text' })
    await call('create_entity', { internalName: 'Site', properties: [{ property: 'Spot' }] })
    const saved = await save(fresh(), { entity: 'Site', text: 'At [[Site.Spot|upper]]' })
    await call('update_property', { property: 'Spot', internalName: 'Place' })
    const [shown] = (await call('list_message_templates', {})).filter((one: { templateId: number }) => one.templateId === saved.templateId)
    expect(shown.variants[0].text).toBe('At [[Site.Place|upper]]')
    await expect(call('delete_entity', { entity: 'Site' })).rejects.toMatchObject(refused('conflict', /message template/))
    await call('delete_entity', { entity: 'Site', force: true })
    const about = call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, template: saved.internalName, eiRecordId })
    await expect(about).rejects.toMatchObject(refused('unprocessable', /no longer fits/))
  })
})

describe('a message by a template', () => {
  it('brings the values of the record, the recipient and the call as plain text, in the language and zone of its reader', async () => {
    const name = fresh()
    const entity = 'WorkOrder'
    await save(name, { entity, text: 'English' })
    await save(name, {
      languageCode: 'de-DE',
      text: '[[$recipient.displayName]]: [[WorkOrder.Title]], [[WorkOrder.Cost|number]], [[WorkOrder.Stage|label]], um [[$param.at|time]], [[WorkOrder.DoorCode]]',
      card: { title: 'Auftrag\n[[WorkOrder.Title]]', link: { label: 'Zeigen', url: 'https://a.test/?q=[[WorkOrder.Title]]' } },
    })
    const reader = await newReader('de-DE')
    const params = { at: '2026-07-01T08:00:00Z' }
    const sent = await call('send_message', { to: reader.to, template: name, params, eiRecordId })
    const { messages } = await call('get_conversation', { conversationId: sent.conversationId })
    expect(messages[0].text).toBe('Ana *Ruiz*: Gate [[$now]] & *4*, 1.234,5, Unterwegs, um 10:00, ••••')
    expect(messages[0].card).toEqual({
      title: 'Auftrag Gate [[$now]] & *4*',
      link: { label: 'Zeigen', url: 'https://a.test/?q=Gate%20%5B%5B%24now%5D%5D%20%26%20%2A4%2A' },
    })
  })

  it('takes the text of the recipient’s language, else another region of it, else the tenant’s; that of the channel before the one for all', async () => {
    const [es, ca] = [await newReader('es-MX'), await newReader('ca-ES')]
    const name = fresh()
    await save(name, { text: 'en' })
    await save(name, { languageCode: 'es-ES', text: 'es' })
    await save(name, { channel: 'sms', text: 'en on sms' })
    const to = async (recipient: object) => textOf((await call('send_message', { to: recipient, template: name })).conversationId)
    expect(await to(es.to)).toBe('es')
    expect(await to(ca.to)).toBe('en')
    const bare = await call('send_message', { to: { phone: newPhone() }, channel: 'sms', template: name })
    expect(await textOf(bare.conversationId)).toBe('en on sms')
  })

  it('falls through languages in order, within each by channel', () => {
    const variants = [
      { languageCode: 'es-ES', channel: null, text: 'a' },
      { languageCode: 'es-MX', channel: 'sms' as const, text: 'b' },
      { languageCode: 'en-US', channel: 'email' as const, text: 'c' },
    ]
    const taken = (languages: string[], kind: 'sms' | 'email' | 'inbox') => variantFor(variants, languages, kind)?.text
    expect(taken(['es-MX', 'en-US'], 'sms')).toBe('b')
    expect(taken(['es-MX', 'en-US'], 'inbox')).toBe('a')
    expect(taken(['en-GB'], 'email')).toBe('c')
    expect(taken(['en-GB'], 'sms')).toBeUndefined()
  })

  it('is refused where the template has no text for the recipient, and names those that it has', async () => {
    const name = fresh()
    await save(name, { languageCode: 'fr-FR', text: 'Bonjour' })
    const reader = await newReader('de-DE')
    const refusal = await world.refusal('send_message', { to: reader.to, template: name })
    expect(refusal).toMatchObject(refused('unprocessable', /no text for inbox in de-DE or en-US, only in fr-FR/))
    const french = await newReader('fr-CA')
    const { results, ...counts } = await call('send_message_bulk', {
      recipients: [reader, french].map(({ to }) => ({ to })),
      template: name,
    })
    expect(counts).toEqual({ sent: 1, suppressed: 0, failed: 1 })
    expect(results).toMatchObject([{ outcome: 'failed', errors: [{ path: '$.template' }] }, { outcome: 'sent' }])
    const { previews } = await call('preview_message', { to: french.to, template: name, channels: ['inbox'] })
    expect(previews).toMatchObject([{ languageCode: 'fr-FR', text: 'Bonjour', fits: true }])
    const none = await call('preview_message', { to: reader.to, template: name, channels: ['inbox'] })
    expect(none.previews).toMatchObject([{ text: '', fits: false, issues: [{ path: '$.template' }] }])
  })

  it('says which param or record is missing, which is one too many, and that text and template are one too many', async () => {
    const name = fresh()
    await save(name, { entity: 'WorkOrder', text: '[[WorkOrder.Title]] [[$param.gate]] [[$param.note|default:"-"]]' })
    const to = { tenantUserId: world.tenant.tenantUserId }
    const failing = (more: object) => world.refusal('send_message', { to, template: name, eiRecordId, params: { gate: '4' }, ...more })
    const missing = await failing({ params: {} })
    expect(missing).toMatchObject(refused('invalid_input', /needs params: gate/))
    expect(pathsOf(missing)).toEqual(['$.params.gate'])
    const unknown = await failing({ params: { gate: '4', nota: 'x' } })
    expect(unknown.issues).toMatchObject([{ path: '$.params.nota', suggestion: 'note' }])
    expect(pathsOf(await failing({ eiRecordId: undefined }))).toEqual(['$.eiRecordId'])
    expect(pathsOf(await failing({ text: 'x' }))).toEqual(['$.text'])
    expect(pathsOf(await world.refusal('send_message', { to, text: 'x', params: {} }))).toEqual(['$.params'])
    expect((await world.refusal('send_message', { to, template: `${name}x` })).issues).toMatchObject([
      { path: '$.template', suggestion: name },
    ])
    const { messageId } = await call('send_message', { to, template: name, eiRecordId, params: { gate: '4' } })
    expect(messageId).toBeGreaterThan(0)
  })

  it('brings nothing that its sender does not see', async () => {
    const name = fresh()
    await call('create_property', { internalName: 'Secret', dataType: 'Text' })
    await call('create_entity', { internalName: 'Vault', properties: [{ property: 'Secret' }] })
    const vault = await call('save_instance', { entity: 'Vault', key1: 'v', data: { Secret: 'gold' } })
    await save(name, { entity: 'Vault', text: 'In it: [[Vault.Secret]]' })
    const to = { tenantUserId: world.tenant.tenantUserId }
    const key = await world.tenant.keyWith(['DataEdit', 'DataView'])
    await call('set_entity_access', {
      entity: 'Vault',
      rules: [{ tenantUserId: world.tenant.tenantUserId, read: true }],
    })
    const blind = call('send_message', { to, template: name, eiRecordId: vault.eiRecordId }, { key })
    await expect(blind).rejects.toBeInstanceOf(AppError)
    const preview = await call('preview_message', { template: name, eiRecordId: vault.eiRecordId }, { key })
    expect(JSON.stringify(preview)).not.toContain('gold')
    const seen = await call('send_message', { to, template: name, eiRecordId: vault.eiRecordId })
    expect(await textOf(seen.conversationId)).toBe('In it: gold')
  })

  it('carries the question of the call under its words', async () => {
    const name = fresh()
    await save(name, { text: 'Is it open?', card: { title: 'Gate' } })
    const reader = await newReader('en-US')
    const choices = [{ key: 'yes', label: 'Yes' }]
    const { conversationId } = await call('send_message', { to: reader.to, template: name, card: { choices } })
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages[0]).toMatchObject({ text: 'Is it open?', card: { title: 'Gate', choices } })
  })

  it('is measured with its values', async () => {
    const name = fresh()
    await save(name, { text: '[[$param.words]]', card: { title: '[[$param.words]]' } })
    const words = 'x'.repeat(1_601)
    const sending = { to: { phone: newPhone() }, channel: 'sms', template: name, params: { words } }
    await expect(call('send_message', sending)).rejects.toMatchObject(refused('invalid_input', /cannot go out on sms/))
    const { conversationId } = await call('send_message', { ...sending, params: { words: 'y'.repeat(500) } })
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages[0].card.title).toHaveLength(200)
  })
})

describe('a workflow that names a template', () => {
  it('is told of one that nobody saved, and keeps the one that it names', async () => {
    const saved = await save(fresh(), { text: 'Done' })
    const step = (template: string) => ({
      internalName: 'tell',
      stepType: 'notify',
      config: { to: { tenantUserId: world.tenant.tenantUserId }, template },
    })
    const body = (template: string) => ({
      internalName: 'Telling',
      displays: [{ languageCode: 'en-US', name: 'Telling' }],
      roles: ['DataEdit'],
      steps: [step(template)],
      triggers: [],
    })
    const { issues } = await call('import_workflow', body(`${saved.internalName}s`))
    expect(issues).toMatchObject([{ path: '$.steps[0].config.template', suggestion: saved.internalName }])
    await call('import_workflow', body(saved.internalName))
    const deleting = call('delete_message_template', { templateId: saved.templateId })
    await expect(deleting).rejects.toMatchObject(refused('conflict', /the workflow Telling/))
    await call('delete_message_template', { templateId: saved.templateId, force: true })
  })
})
