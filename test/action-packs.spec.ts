/** Action packs: written, checked, installed with settings, changed and taken away. */
import { beforeAll, describe, expect, it, vi } from 'vitest'

import { Webhook } from 'standardwebhooks'

import { isBytesAnswer } from '#platform/answer.ts'
import { openSealed } from '#tools/action-packs/service.ts'
import { sortKeyOf } from '#tools/action-packs/versions.rules.ts'

import { patience } from './support/patience.ts'
import { leastMs, longestTurn, turnLimitMs } from './support/turns.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

let names = 0
const fresh = (prefix: string) => `${prefix}${++names}`

const tell = { internalName: 'tell', stepType: 'notify', config: { to: '[[$settings.to]]', text: '[[$settings.text]]' } }

const manifest = (more: object = {}) => ({
  internalName: fresh('pack'),
  version: '1.0.0',
  settings: [
    { name: 'entity', dataType: 'Text', isRequired: true },
    { name: 'to', dataType: 'Json', isRequired: true },
    { name: 'text', dataType: 'Text', value: 'Look.' },
    { name: 'channel', dataType: 'Choice', options: ['inbox', 'sms'] },
  ],
  roles: ['DataView', 'DataEdit'],
  triggers: [{ triggerType: 'recordCreated', config: { entity: '[[$settings.entity]]', perRecord: true } }],
  steps: [{ ...tell, config: { ...tell.config, channel: '[[$settings.channel]]' } }],
  ...more,
})

const settings = { entity: 'Defect', to: { role: 'BuilderAdmin' } }

async function created(more: object = {}): Promise<string> {
  const said = manifest(more)
  await call('create_action_pack', said)
  return said.internalName
}

const installed = async (more: object = {}, given: object = settings) =>
  call('install_action_pack', { actionPack: await created(more), settings: given })

beforeAll(async () => {
  await call('create_property', { internalName: 'Status', dataType: 'Text' })
  await call('create_entity', { internalName: 'Defect', properties: [{ property: 'Status' }] })
})

describe('a pack', () => {
  it('is listed with all others, and so are installs, unless a size of the page is told', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    const plain = (internalName: string) => ({
      internalName,
      version: '1.0.0',
      triggers: [{ triggerType: 'manual', config: {} }],
      steps: [{ internalName: 'none', stepType: 'set', config: { values: {} } }],
    })
    const names = Array.from({ length: 51 }, (_, index) => `plain${index}`)
    for (const name of names) await call('create_action_pack', plain(name), as)
    for (const internalName of names) await call('install_action_pack', { actionPack: 'plain0', internalName }, as)
    const listed: { internalName: string; isSystem: boolean }[] = await call('list_action_packs', {}, as)
    expect(listed.filter((one) => !one.isSystem)).toHaveLength(names.length)
    expect(await call('list_action_pack_installs', {}, as)).toHaveLength(names.length)
    expect(await call('list_action_packs', { pageSize: 50 }, as)).toHaveLength(50)
    expect(await call('list_action_pack_installs', { actionPack: 'plain0', pageSize: 50 }, as)).toHaveLength(50)
  })

  it('is kept by its manifest, listed, described with the schema of its settings, and deleted', async () => {
    const said = manifest()
    expect(await call('create_action_pack', said)).toMatchObject({
      internalName: said.internalName,
      version: '1.0.0',
      isSystem: false,
      installs: 0,
      roles: ['DataView', 'DataEdit'],
      issues: [],
    })
    expect(await call('list_action_packs')).toContainEqual(expect.objectContaining({ internalName: said.internalName }))
    expect(await call('describe_action_pack', { actionPack: said.internalName })).toMatchObject({
      versions: ['1.0.0'],
      settingsSchema: { required: ['entity', 'to'], properties: { channel: { enum: ['inbox', 'sms'] }, text: { default: 'Look.' } } },
      triggers: said.triggers,
      steps: said.steps,
    })
    await call('delete_action_pack', { actionPack: said.internalName })
    expect(await refusal('describe_action_pack', { actionPack: said.internalName })).toMatchObject({ code: 'not_found' })
  })

  it('has a name of its own, and another version only under another number', async () => {
    const said = manifest()
    await call('create_action_pack', said)
    const { internalName, ...version } = said
    expect(await refusal('create_action_pack', { ...said, internalName: internalName.toUpperCase() })).toMatchObject({
      code: 'already_exists',
    })
    expect(await refusal('update_action_pack', { actionPack: internalName, ...version })).toMatchObject({ code: 'conflict' })
    const misnamed = await refusal('update_action_pack', {
      actionPack: internalName,
      ...version,
      version: '8.0.0',
      internalName: 'another',
    })
    expect(misnamed).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.internalName', suggestion: internalName }] })
    for (const number of ['1.10.0', '1.9.0', '1.10.0-beta.1'])
      await call('update_action_pack', { actionPack: internalName, ...version, version: number })
    const { versions, version: newest } = await call('describe_action_pack', { actionPack: internalName })
    expect(versions).toEqual(['1.10.0', '1.10.0-beta.1', '1.9.0', '1.0.0'])
    expect(newest).toBe('1.10.0')
    const described = await call('describe_action_pack', { actionPack: internalName, version: '1.9.0' })
    expect(described).toMatchObject({ version: '1.9.0' })
    expect(await refusal('describe_action_pack', { actionPack: internalName, version: '7.0.0' })).toMatchObject({ code: 'not_found' })
  })

  it.each([
    [
      'a step that a page would show',
      { steps: [{ internalName: 'ask', stepType: 'approval', config: { question: 'Is it?' } }] },
      '$.steps',
    ],
    ['the same by number', { steps: [{ internalName: 'ask', stepTypeId: 2, config: { question: 'Is it?' } }] }, '$.steps'],
    ['a target that is not there', { steps: [{ ...tell, next: 'nowhere' }] }, '$.steps[0].next'],
    [
      'a token that nothing has',
      { steps: [{ ...tell, config: { to: '[[$settings.to]]', text: '[[$vars.x]]' } }] },
      '$.steps[0].config.text',
    ],
    [
      'a setting that it does not declare',
      { steps: [{ ...tell, config: { ...tell.config, channel: '[[$settings.chanel]]' } }] },
      '$.steps[0].config.channel',
    ],
    [
      'such a setting within a text',
      { steps: [{ ...tell, config: { to: '[[$settings.to]]', text: 'About [[ $settings.entiti ]]' } }] },
      '$.steps[0].config.text',
    ],
    [
      'such a setting in a condition',
      { steps: [{ ...tell, when: [{ property: '$settings.txt', op: 'isNotEmpty' }] }] },
      '$.steps[0].when[0].property',
    ],
    ['such a setting as what it needs', { needs: { entities: ['[[$settings.entitee]]'] } }, '$.needs.entities[0]'],
    ['a role that its steps need', { roles: ['DataView'] }, '$.steps[0].stepType'],
    [
      'a value of another type',
      {
        settings: [
          { name: 'to', dataType: 'Json', value: 'Ana' },
          { name: 'entity', dataType: 'Text' },
          { name: 'text', dataType: 'Text' },
          { name: 'channel', dataType: 'Text' },
        ],
      },
      '$.settings[0].value',
    ],
  ])('with %s is refused with its place', async (_what, more, path) => {
    const said = manifest(more)
    const refused = await refusal('create_action_pack', said)
    expect(refused.code).toBe('unprocessable')
    expect(refused.issues?.map((one) => one.path)).toContain(path)
    const checked = await call('validate_action_pack', said)
    expect(checked.valid).toBe(false)
    expect(checked.issues.map((one: { path: string }) => one.path)).toContain(path)
  })

  it('keeps a sensitive setting from every step but callHttp', async () => {
    const secret = { name: 'token', dataType: 'Text', isSensitive: true }
    const base = manifest()
    const leak = { ...tell, config: { to: '[[$settings.to]]', text: 'It is [[$settings.token]]' } }
    const refused = await refusal('create_action_pack', { ...base, settings: [...base.settings, secret], steps: [leak] })
    expect(refused).toMatchObject({ code: 'unprocessable', issues: [{ message: expect.stringContaining('callHttp alone') }] })
  })

  it('is checked step by step in the order of their positions, whatever the order they are written in', async () => {
    const steps = [
      { ...tell, position: 2 },
      { internalName: 'begin', stepType: 'notify', position: 1, config: { to: { role: 'BuilderAdmin' }, text: 'Begun.' } },
    ]
    expect(await call('validate_action_pack', manifest({ steps }))).toMatchObject({ valid: true })
  })

  it('is checked in turns, however much in it a setting will say, and not at all where it is too long', async () => {
    const body = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`f${n}`, n % 6 === 0 ? '[[$nope]]' : '[[$settings.text]]']))
    const post = { internalName: 'post', stepType: 'callHttp', config: { method: 'POST', url: 'https://example.com/in', body } }
    const said = manifest({ steps: [post] })
    const check = async () => {
      const { result, ms } = await longestTurn(() => call('validate_action_pack', said))
      expect(result).toMatchObject({ valid: false })
      return ms
    }
    expect(await leastMs(check)).toBeLessThan(turnLimitMs)
    const long = manifest({ steps: [{ ...post, config: { ...post.config, body: 'x'.repeat(300_000) } }] })
    expect(await refusal('validate_action_pack', long)).toMatchObject({ code: 'too_large' })
  })

  it('checks a draft whose form is wrong, too', async () => {
    const checked = await call('validate_action_pack', { ...manifest(), version: 'one' })
    expect(checked).toMatchObject({ valid: false, issues: [{ path: '$.version' }] })
    expect((await call('validate_action_pack', manifest())).issues).toEqual([])
  })

  it('sorts versions by their numbers, and previews before their release', () => {
    const sorted = ['2.0.0', '10.0.0', '2.0.0-rc.2', '2.0.0-rc.10', '1.99.0']
    expect(sorted.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))).toEqual([
      '1.99.0',
      '2.0.0-rc.2',
      '2.0.0-rc.10',
      '2.0.0',
      '10.0.0',
    ])
  })

  it('lists page after page, each once', async () => {
    for (let made = 0; made < 3; made++) await created()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      // A listing shows its cursor where it is not parsed.
      const page = (await world.run('list_action_packs', { pageSize: 2, ...(cursor === undefined ? {} : { cursor }) })) as {
        items: { internalName: string }[]
        nextCursor?: string
      }
      seen.push(...page.items.map(({ internalName }) => internalName))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    const all = (await call('list_action_packs', { pageSize: 1_000 })).map((one: { internalName: string }) => one.internalName)
    expect(seen).toEqual(all)
    expect(seen.length).toBeGreaterThan(3)
  })
})

describe('an install', () => {
  it('puts its settings into triggers and steps, and acts under a user of its own', async () => {
    const one = await installed()
    expect(one).toMatchObject({
      version: '1.0.0',
      isEnabled: true,
      settings: { ...settings, text: 'Look.' },
      sealedSettings: [],
      roles: ['DataView', 'DataEdit'],
      triggers: [{ triggerType: 'recordCreated', config: { entity: 'Defect', perRecord: true } }],
      issues: [],
    })
    const other = await call('install_action_pack', { actionPack: one.actionPack, settings: { ...settings, text: 'Other.' } })
    expect(other.installId).not.toBe(one.installId)
    expect(other.tenantUserId).not.toBe(one.tenantUserId)
    expect(other.internalName).toBe(`${one.internalName}2`)
    const list = await call('list_action_pack_installs', { actionPack: one.actionPack })
    expect(list.map((row: { settings: { text: string } }) => row.settings.text)).toEqual(['Look.', 'Other.'])
    expect(await call('list_action_pack_installs', { actionPack: one.actionPack, pageSize: 1 })).toHaveLength(1)
    expect(await call('list_action_pack_installs')).toContainEqual(expect.objectContaining({ installId: one.installId }))
    expect(await call('list_workflows')).toEqual([])
  })

  it('is refused for settings that are missing, unknown or of another type, with the nearest name', async () => {
    const actionPack = await created()
    const refused = await refusal('install_action_pack', { actionPack, settings: { entiti: 'Defect', to: 'Ana', channel: 'smoke' } })
    expect(refused.code).toBe('invalid_input')
    expect(refused.issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '$.settings.entiti', suggestion: 'entity' }),
        expect.objectContaining({ path: '$.settings.entity', message: 'Required.' }),
        expect.objectContaining({ path: '$.settings.to' }),
        expect.objectContaining({ path: '$.settings.channel' }),
      ]),
    )
  })

  it('is refused where its entity or channel is absent, by the setting that names it', async () => {
    const actionPack = await created()
    const absent = await refusal('install_action_pack', { actionPack, settings: { ...settings, entity: 'Defekt' } })
    expect(absent).toMatchObject({ code: 'unprocessable', issues: [{ path: '$.settings.entity', suggestion: 'Defect' }] })
    const needy = await created({ needs: { entities: ['[[$settings.entity]]'], channels: ['sms'] } })
    expect(await refusal('install_action_pack', { actionPack: needy, settings })).toMatchObject({
      code: 'unprocessable',
      issues: [{ path: '$.needs.channels' }],
    })
    expect(await call('list_action_pack_installs', { actionPack: needy })).toEqual([])
  })

  it('is refused to who lacks a role that it asks for, as is switching it on again', async () => {
    const { actionPack, installId } = await installed()
    const builder = await world.tenant.keyWith(['BuilderAdmin', 'DataView'])
    expect(await refusal('install_action_pack', { actionPack, settings }, builder)).toMatchObject({ code: 'forbidden' })
    expect(await call('toggle_action_pack_install', { installId, isEnabled: false }, { key: builder })).toMatchObject({ isEnabled: false })
    expect(await refusal('toggle_action_pack_install', { installId, isEnabled: true }, builder)).toMatchObject({ code: 'forbidden' })
    expect(await refusal('fire_action_pack_install', { installId })).toMatchObject({ code: 'conflict' })
  })

  it('keeps its pack from being deleted, and its entity from being deleted unseen', async () => {
    const { actionPack, installId } = await installed()
    expect(await refusal('delete_action_pack', { actionPack })).toMatchObject({ code: 'conflict' })
    expect(await refusal('delete_entity', { entity: 'Defect' })).toMatchObject({ code: 'conflict' })
    await call('uninstall_action_pack', { installId })
    expect(await refusal('fire_action_pack_install', { installId })).toMatchObject({ code: 'not_found' })
    await call('delete_action_pack', { actionPack })
  })

  it('takes a new version only when it is told to, and keeps what was not sent', async () => {
    const said = manifest()
    await call('create_action_pack', said)
    const actionPack = said.internalName
    const { installId, tenantUserId } = await call('install_action_pack', { actionPack, settings: { ...settings, text: 'Mine.' } })
    const { internalName: _name, ...next } = said
    const more = [...said.settings, { name: 'extra', dataType: 'Number', isRequired: true }]
    await call('update_action_pack', { actionPack, ...next, version: '2.0.0', settings: more })
    expect(await call('list_action_pack_installs', { actionPack })).toMatchObject([{ version: '1.0.0' }])
    expect(await refusal('update_action_pack_install', { installId, version: '2.0.0' })).toMatchObject({ code: 'invalid_input' })
    await call('toggle_action_pack_install', { installId, isEnabled: false })
    const taken = await call('update_action_pack_install', { installId, version: '2.0.0', settings: { extra: 3 } })
    expect(taken).toMatchObject({ version: '2.0.0', isEnabled: false, tenantUserId, settings: { ...settings, text: 'Mine.', extra: 3 } })
    expect(await refusal('update_action_pack_install', { installId, version: '9.0.0' })).toMatchObject({ code: 'not_found' })
    expect(await call('update_action_pack_install', { installId, settings: { text: null } })).toMatchObject({ settings: { text: 'Look.' } })
  })

  it('shows the secret of its webhook once, at an address of its own that stays', async () => {
    const triggers = [{ triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks' } }]
    const { installId, triggers: first } = await installed({ triggers })
    expect(first).toMatchObject([
      { url: expect.stringContaining('/api/v1/action-packs/webhooks/'), secret: expect.stringMatching(/^whsec_/) },
    ])
    const { triggers: again } = await call('update_action_pack_install', { installId, settings: { text: 'More.' } })
    expect(again).toEqual([{ ...first[0], secret: undefined }].map(({ secret: _shown, ...rest }) => rest))
  })

  it('is started by a webhook that is signed by its secret, once for each delivery, and by no other', async () => {
    const triggers = [{ triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks' } }]
    const { installId, triggers: made } = await installed({ triggers })
    const [{ triggerKey, secret }] = made
    const text = JSON.stringify({ order: 7 })
    const at = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
    }
    const send = (body: string) =>
      world.run('receive_action_webhook', { triggerKey }, { raw: { body: Buffer.from(body), headers, url: '/' } })
    const first = await send(text)
    if (!isBytesAnswer(first)) throw new Error('The first delivery was taken for another')
    expect(first.status).toBe(202)
    // What is not streamed is a text.
    const { actionRunId, state } = JSON.parse(first.body as string)
    expect(state).toBe('queued')
    expect(await send(text)).toMatchObject({ actionRunId })
    await expect(send(`${text} `)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await call('list_action_runs', { installId })).toMatchObject([
      { actionRunId, trigger: { triggerType: 'webhookReceived', payload: { body: { order: 7 } } } },
    ])
    await call('toggle_action_pack_install', { installId, isEnabled: false })
    await expect(send(text)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is tried out with a payload, and nothing is sent', async () => {
    const text = { ...tell, config: { to: { tenantUserId: world.tenant.tenantUserId }, text: '[[$settings.text]] [[$trigger.input.why]]' } }
    const { installId } = await installed({ steps: [text] })
    const tried = await call('test_action_pack_install', { installId, payload: { input: { why: 'now' } } })
    expect(tried).toMatchObject({ state: 'completed', trace: [{ step: 'tell', event: 'done' }] })
    expect(JSON.stringify(tried.trace)).toContain('Look. now')
    expect(await call('list_action_runs', { installId })).toEqual([])
  })

  it('seals what is sensitive: no answer shows it, no version holds it, and what is sent outside opens it', async () => {
    const base = manifest()
    const post = {
      internalName: 'post',
      stepType: 'callHttp',
      config: { method: 'POST', url: 'https://example.com/in', headers: { Authorization: 'Bearer [[$settings.token]]' } },
    }
    const given = { ...settings, token: 'open "sesame"' }
    const one = await installed(
      { settings: [...base.settings, { name: 'token', dataType: 'Text', isRequired: true, isSensitive: true }], steps: [post] },
      given,
    )
    expect(one).toMatchObject({ sealedSettings: ['token'] })
    expect(JSON.stringify(one)).not.toContain('sesame')
    const [version] = await world.sql`select body from platform.workflow_version where workflow_id = ${one.installId}`
    expect(version?.['body']).not.toContain('sesame')
    const { settingValues } = JSON.parse(String(version?.['body']))
    const { services } = world.platform
    const sent = await openSealed(services, world.tenant.tenantId, one.installId, {
      headers: { Authorization: `Bearer ${settingValues.token}` },
    })
    expect(sent).toEqual({ config: { headers: { Authorization: 'Bearer open "sesame"' } }, sealed: ['open "sesame"'] })
    const again = await call('update_action_pack_install', { installId: one.installId, settings: { text: 'Other.' } })
    expect(again).toMatchObject({ sealedSettings: ['token'] })
    // Another install's marks open nothing here.
    const other = await installed()
    await expect(openSealed(services, world.tenant.tenantId, other.installId, { token: settingValues.token })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  it('leaves runs of the version before what it sealed, and takes a sensitive setting away for null', async () => {
    const base = manifest()
    const post = {
      internalName: 'post',
      stepType: 'callHttp',
      config: { method: 'POST', url: 'https://example.com/in', headers: { Authorization: 'Bearer [[$settings.token]]' } },
    }
    const { internalName, ...first } = manifest({
      settings: [...base.settings, { name: 'token', dataType: 'Text', isSensitive: true }],
      steps: [post],
    })
    await call('create_action_pack', { internalName, ...first })
    const { installId } = await call('install_action_pack', { actionPack: internalName, settings: { ...settings, token: 'sesame' } })
    const [version] = await world.sql`select body from platform.workflow_version where workflow_id = ${installId}`
    const { token } = JSON.parse(String(version?.['body'])).settingValues
    const opened = () => openSealed(world.platform.services, world.tenant.tenantId, installId, { token })
    await call('update_action_pack', { actionPack: internalName, ...manifest(), internalName, version: '2.0.0' })
    expect(await call('update_action_pack_install', { installId, version: '2.0.0' })).toMatchObject({ sealedSettings: [] })
    expect(await opened()).toMatchObject({ config: { token: 'sesame' } })
    expect(await call('update_action_pack_install', { installId, version: '1.0.0' })).toMatchObject({ sealedSettings: ['token'] })
    const without = await call('update_action_pack_install', { installId, settings: { token: null } })
    expect(without).toMatchObject({ sealedSettings: [] })
    await expect(opened()).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('signs a new webhook by the secret that is sealed already', async () => {
    const base = manifest()
    const declared = [...base.settings, { name: 'secret', dataType: 'Text', isRequired: true, isSensitive: true }]
    const webhook = (name: string) => ({
      internalName: name,
      triggerType: 'webhookReceived',
      config: { scheme: 'header', name: 'x-key', secret: '[[$settings.secret]]' },
    })
    const said = manifest({ settings: declared, triggers: [webhook('one')] })
    await call('create_action_pack', said)
    const { installId } = await call('install_action_pack', {
      actionPack: said.internalName,
      settings: { ...settings, secret: 'a long enough secret' },
    })
    const { internalName: _name, ...next } = said
    const triggers = [webhook('one'), webhook('two')]
    await call('update_action_pack', { actionPack: said.internalName, ...next, version: '2.0.0', triggers })
    const taken = await call('update_action_pack_install', { installId, version: '2.0.0' })
    const two = taken.triggers.find((one: { internalName?: string }) => one.internalName === 'two')
    expect(two).not.toHaveProperty('secret')
    const headers = { 'content-type': 'application/json', 'x-key': 'a long enough secret' }
    const raw = { body: Buffer.from('{}'), headers, url: '/' }
    expect(await world.run('receive_action_webhook', { triggerKey: two.triggerKey }, { raw })).toMatchObject({ status: 202 })
  })

  it('is refused where its settings make it longer than a definition may be, also when they come later', async () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`f${place}`, '[[$settings.big]]']))
    const base = manifest()
    const many = {
      settings: [...base.settings, { name: 'big', dataType: 'Json' }],
      steps: [{ internalName: 'post', stepType: 'callHttp', config: { method: 'POST', url: 'https://example.com/in', body } }],
    }
    const big = { text: 'x'.repeat(10_000) }
    const actionPack = await created(many)
    expect(await refusal('install_action_pack', { actionPack, settings: { ...settings, big } })).toMatchObject({ code: 'too_large' })
    const { installId } = await call('install_action_pack', { actionPack, settings })
    expect(await refusal('update_action_pack_install', { installId, settings: { big } })).toMatchObject({ code: 'too_large' })
  })

  it('stays switched off where that came while its settings were changed', async () => {
    const { installId, actionPack } = await installed()
    const { tenantId } = world.tenant
    const waiting = async () => {
      const rows = await world.sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
      return rows.length
    }
    const holder = await world.sql.reserve()
    await holder`begin`
    await holder`select 1 from platform.tenant where tenant_id = ${tenantId} for update`
    const off = call('toggle_action_pack_install', { installId, isEnabled: false })
    await vi.waitFor(async () => expect(await waiting()).toBe(1), patience)
    const changed = call('update_action_pack_install', { installId, settings: { text: 'Late.' } })
    await vi.waitFor(async () => expect(await waiting()).toBe(2), patience)
    await holder`commit`
    holder.release()
    await off
    expect(await changed).toMatchObject({ isEnabled: false, settings: { text: 'Late.' } })
    expect(await call('list_action_pack_installs', { actionPack })).toMatchObject([{ installId, isEnabled: false }])
  })

  it('is not there for another tenant', async () => {
    const { installId, actionPack } = await installed()
    const other = await world.newTenant()
    for (const name of ['uninstall_action_pack', 'fire_action_pack_install'])
      expect(await refusal(name, { installId }, other.key)).toMatchObject({ code: 'not_found' })
    expect(await refusal('describe_action_pack', { actionPack }, other.key)).toMatchObject({ code: 'not_found' })
  })
})
