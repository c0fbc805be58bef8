/** Signed links to tasks of runs: sent and never answered, opened by whoever holds one, and done once in the recipient's name. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { AppError } from '#platform/errors.ts'
import { createHttpServer, type HttpServer } from '#server/http/server.ts'
import { createHandsetCalls, createLinkCalls, createPages } from '#server/pages/index.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findFlowVersion } from '#tools/workflows/service.ts'

import { noBacklog } from './support/backlog.ts'
import { openBrowser } from './support/browser.ts'
import { type Deliverer, newPhone, openDeliverer } from './support/messaging.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openWorld, type World } from './support/world.ts'
import { freePort } from './support/ports.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay
let server: HttpServer
let deliverer: Deliverer
let browser: Browser
let url = ''
let smsKey = ''
let mailKey = ''
const failures: unknown[] = []

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  ;[world, temporal] = await Promise.all([openWorld({ PUBLIC_URL: url }), openTemporal()])
  const { services, pipeline } = world.platform
  services.temporal.connectTo(temporal.address)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion: findFlowVersion, retryDelayMs: 5 }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  deliverer = openDeliverer(world)
  const parts = {
    calls: createLinkCalls(pipeline),
    handsets: createHandsetCalls(pipeline),
    onFailure: (error: unknown) => failures.push(error),
  }
  server = await createHttpServer({
    pipeline,
    config: { ...world.config, port, host: '127.0.0.1' },
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    pages: createPages(parts),
    docs: { texts: new Map() },
  })
  await server.listen()
  browser = await openBrowser()
  for (const internalName of ['Status', 'Note']) await world.call('create_property', { internalName, dataType: 'Text' })
  await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  const properties = ['Status', 'Note', 'Photo'].map((property) => ({ property }))
  await world.call('create_entity', { internalName: 'Order', properties })
  const fields = [{ property: 'Status', required: true }, { property: 'Note' }, { property: 'Photo' }]
  const sections = [{ type: 'detail', name: 'all', fields }]
  await world.call('create_form', { entity: 'Order', internalName: 'OrderForm', isShared: true, layoutJson: { sections } })
  const box = (channel: string) => ({ internalName: `Box${channel}`, channel, provider: 'sandbox', settings: {} })
  smsKey = (await world.call('create_channel', box('sms'))).channelKey
  mailKey = (await world.call('create_channel', box('email'))).channelKey
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  await relay?.stop()
  await worker?.stop()
  await deliverer?.close()
  await world?.close()
  await temporal?.close()
})

let count = 0
async function publish(steps: readonly object[]): Promise<string> {
  const workflow = `Flow${++count}`
  const said = { internalName: workflow, displays: [{ languageCode: 'en-US', name: workflow }], roles: ['DataView'], triggers: [] }
  const { issues } = await world.call('import_workflow', { ...said, entity: 'Order', steps })
  expect((issues ?? []).filter((one: { severity: string }) => one.severity === 'error')).toEqual([])
  await world.call('publish_workflow', { workflow })
  return workflow
}

interface Person {
  readonly tenantUserId: number
  readonly key: string
  readonly email: string
  readonly phone: string
}
let people = 0
async function newPerson(more: { channels?: string[]; roles?: string[]; language?: string } = {}): Promise<Person> {
  const { channels, roles = [], language } = more
  const email = `link${++people}@example.com`
  const phone = newPhone()
  const made = { email, phone, displayName: `Person ${people}`, roles, ...(language === undefined ? {} : { language }) }
  const { tenantUserId } = await world.call('create_user', made)
  const { apiKey } = await world.call('create_api_key', { name: email, roles: ['DataView'], tenantUserId })
  if (channels) await world.call('set_contact_preferences', { tenantUserId, channelOrder: channels })
  return { tenantUserId, key: apiKey, email, phone }
}
const newOrder = async (): Promise<number> =>
  (await world.call('save_instance', { entity: 'Order', key1: `O-${++count}`, data: { Status: 'open' } })).eiRecordId
const recordOf = (eiRecordId: number) => world.call('get_instance', { entity: 'Order', record: String(eiRecordId) })
const get = (workflowInstanceId: number) => world.call('get_workflow_instance', { workflowInstanceId })
const until = async (workflowInstanceId: number, ...states: string[]) => {
  await expect.poll(async () => states.includes((await get(workflowInstanceId)).state)).toBe(true)
  return get(workflowInstanceId)
}
const start = async (workflow: string, eiRecordId: number): Promise<number> => {
  const { workflowInstanceId } = await world.call('start_workflow', { workflow, eiRecordId })
  await until(workflowInstanceId, 'waiting', 'failed')
  return workflowInstanceId
}

const over = { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$steps.check]]' } }
const fill = (more: object = {}) => ({ internalName: 'check', stepType: 'form', config: { form: 'OrderForm' }, ...more })
const check = (more: object = {}) => ({
  internalName: 'check',
  stepType: 'approval',
  config: { question: 'Is [[Order.externalKey]] right?' },
  ...more,
})

const refused = async (work: Promise<unknown>): Promise<AppError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`Not refused: ${String(error)}`)
  return error
}
const nobody = { key: 'nobody' }
const open = (token: string, more: object = {}) => world.call('open_signed_link', { token, ...more }, nobody)
const submit = (token: string, answer: object, idempotencyKey?: string) =>
  world.call('submit_signed_link', { token, ...answer }, { ...nobody, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
const tokenIn = (text: string | undefined): string => {
  const [, token = ''] = /\/l\/(\d+\.\d+\.[\w-]{43})/.exec(text ?? '') ?? []
  expect(token).not.toBe('')
  return token
}
interface Told {
  readonly text: string
  readonly card?: { readonly link?: { readonly url: string; readonly label: string }; readonly choices?: object[] }
}
const inboxOf = async ({ key }: Person): Promise<Told[]> => (await world.call('list_inbox', {}, { key })).messages
/** The token that a person's newest inbox message brings. */
const tokenFor = async (person: Person): Promise<string> => {
  const [message] = await inboxOf(person)
  return tokenIn(message?.card?.link?.url)
}
/** What was delivered to an address, the last text. */
async function deliveredTo(address: string): Promise<string> {
  const rows = await world.sql<{ conversationId: string; messageId: string }[]>`
    select conversation_id, message_id from platform.message where to_address = ${address} and direction = 'outbound' order by message_id desc limit 1`
  expect(rows).toHaveLength(1)
  const [{ conversationId, messageId } = { conversationId: '', messageId: '' }] = rows
  await deliverer.deliver({ conversationId: Number(conversationId), messageId: Number(messageId) })
  const { messages } = await world.call('list_handset_messages', { channelKey: address.includes('@') ? mailKey : smsKey, address })
  return messages.at(-1).text
}
const linksOf = (workflowInstanceId: number, more: object = {}) => world.call('list_signed_links', { workflowInstanceId, ...more })
const lasting = (runId: number, seconds: number) =>
  world.sql`update platform.signed_link set expires_at = now() + make_interval(secs => ${seconds}) where run_id = ${runId}`

describe('the message that tells of a form task', () => {
  it('brings a link, by which the task is done once, in its recipient’s name and without an account', async () => {
    const ana = await newPerson({ language: 'de-DE' })
    const order = await newOrder()
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), order)
    expect((await inboxOf(ana))[0]?.card?.link?.label).toBe('Aufgabe öffnen')
    const token = await tokenFor(ana)
    const shown = await open(token)
    expect(shown).toMatchObject({
      to: { displayName: 'Person 1' },
      form: { form: 'OrderForm', mode: 'update' },
      task: { workflowInstanceId: run, step: 'check', actions: [{ internalName: 'submit', label: 'submit', requiresComment: false }] },
    })
    expect((await refused(submit(token, { values: { Status: null } }))).status).toBe(400)
    expect(await get(run)).toMatchObject({ state: 'waiting' })
    const answered = await submit(token, { values: { Status: 'closed', Note: 'By hand' } }, 'one-answer')
    const [link] = await linksOf(run)
    const by = { tenantUserId: ana.tenantUserId, linkId: link.linkId, madeBy: link.madeBy.tenantUserId }
    expect(answered).toMatchObject({ state: 'used', by })
    const result = { eiRecordId: order, values: { Status: 'closed', Note: 'By hand' }, by: ana.tenantUserId }
    expect(await until(run, 'completed', 'failed')).toMatchObject({ state: 'completed', output: result })
    expect(await recordOf(order)).toMatchObject({ data: { Status: 'closed' }, modifiedBy: ana.tenantUserId })
    const history = await world.call('get_instance_history', { entity: 'Order', record: String(order) })
    expect(history.at(-1)).toMatchObject({ changedBy: { tenantUserId: ana.tenantUserId }, by })
    expect(await linksOf(run)).toMatchObject([{ state: 'used', form: 'OrderForm', resultEIRecordId: order, workflowInstanceId: run }])
    // The same answer, sent again since nobody heard of it; and another one.
    expect(await submit(token, { values: { Status: 'closed', Note: 'By hand' } }, 'one-answer')).toMatchObject({ state: 'used' })
    expect((await refused(submit(token, { values: { Status: 'other' } }, 'another'))).status).toBe(410)
    const audits = await world.sql<{ facts: object }[]>`
      select facts from platform.audit_event where operation = 'submit_signed_link' and facts->>'workflowInstanceId' = ${String(run)}`
    expect(audits).toMatchObject([{ facts: { action: 'submit', eiRecordId: order } }])
  })

  it('shows of the record what its recipient sees by themselves, and leaves the rest as it was', async () => {
    const order = await newOrder()
    const valuesFor = async (person: Person) => {
      const run = await start(await publish([fill({ assignee: { tenantUserId: person.tenantUserId } }), over]), order)
      const token = await tokenFor(person)
      const { form } = await open(token)
      const fields: { property: string; value: unknown }[] = form.sections[0].fields
      return { run, token, mode: form.mode, status: fields.find(({ property }) => property === 'Status')?.value }
    }
    expect(await valuesFor(await newPerson({ roles: ['DataView'] }))).toMatchObject({ mode: 'update', status: 'open' })
    const { run, token, ...shown } = await valuesFor(await newPerson())
    expect(shown).toEqual({ mode: 'update', status: null })
    await submit(token, { values: { Note: 'Unseen' } })
    await until(run, 'completed', 'failed')
    expect(await recordOf(order)).toMatchObject({ data: { Status: 'open', Note: 'Unseen' } })
    const rules = [
      { role: 'DataView', read: true, hidden: ['Status'] },
      { role: 'DataEdit', read: true, edit: true, create: true },
    ]
    await world.call('set_entity_access', { entity: 'Order', rules })
    try {
      expect(await valuesFor(await newPerson({ roles: ['DataView'] }))).toMatchObject({ status: null })
    } finally {
      await world.call('set_entity_access', { entity: 'Order', rules: [] })
    }
  })

  it('lets its files in, though whoever it is for may upload nothing else', async () => {
    const ana = await newPerson()
    const order = await newOrder()
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), order)
    const token = await tokenFor(ana)
    const body = new FormData()
    body.append('v:Status', 'closed')
    body.append('f:Photo', new File(['a picture'], 'gate.txt', { type: 'text/plain' }))
    const { status } = await fetch(`${url}/l/${token}`, { method: 'POST', body })
    expect([status, failures]).toEqual([200, []])
    expect(await until(run, 'completed', 'failed')).toMatchObject({ state: 'completed' })
    const { data } = await recordOf(order)
    expect(await world.call('get_asset', { assetKey: data.Photo })).toMatchObject({ originalFileName: 'gate.txt' })
  })

  it('opens from the handset, is answered on its page, and says so when it is opened again', async () => {
    const ana = await newPerson({ channels: ['sms'] })
    const order = await newOrder()
    const actions = [{ internalName: 'submit' }, { internalName: 'decline', requiresComment: true }]
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId }, actions }), over]), order)
    await deliveredTo(ana.phone)
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
    await page.goto(`${url}/handsets/${smsKey}/${encodeURIComponent(ana.phone)}`)
    await page.locator('a[href*="/l/"]').click()
    await page.locator('form[data-is-ready]').waitFor()
    const address = page.url()
    await page.getByLabel('Status').fill('not yet')
    await page.getByRole('button', { name: 'decline' }).click()
    await page.getByText('“decline” needs a comment.').waitFor()
    await page.getByLabel('Comment').fill('The gate is locked')
    await page.getByRole('button', { name: 'decline' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { values: { Status: 'not yet' }, by: ana.tenantUserId } })
    const log: { event: string; comment?: string }[] = await world.call('get_workflow_instance_log', { workflowInstanceId: run })
    expect(log.find(({ event }) => event === 'acted')).toMatchObject({ comment: 'The gate is locked', output: { action: 'decline' } })
    await page.goto(address)
    await page.getByRole('heading', { name: 'This link has been used' }).waitFor()
    await page.close()
  })

  it('takes the link back where the task is given to somebody else', async () => {
    const [ana, bea] = [await newPerson(), await newPerson()]
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), await newOrder())
    const first = await tokenFor(ana)
    await world.call('assign_workflow_instance', { workflowInstanceId: run, tenantUserId: bea.tenantUserId })
    expect((await refused(open(first))).message).toContain('revoked')
    await submit(await tokenFor(bea), { values: { Status: 'by Bea' } })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { by: bea.tenantUserId } })
  })

  it('says by whom and when where somebody has done it meanwhile', async () => {
    const ana = await newPerson()
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), await newOrder())
    const token = await tokenFor(ana)
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'submit', values: { Status: 'x' } })
    const error = await refused(submit(token, { values: { Status: 'mine' } }))
    expect([error.status, error.code]).toEqual([410, 'conflict'])
    expect(error.message).toMatch(/^The task of the link was done by .+ at \d{4}-\S+Z: nothing is left to do\.$/)
    expect((await refused(open(token))).message).toBe(error.message)
    expect(await linksOf(run)).toMatchObject([{ state: 'settled' }])
    expect(await linksOf(run, { states: ['settled'] })).toHaveLength(1)
    expect(await linksOf(run, { states: ['open'] })).toEqual([])
    const answer = await fetch(`${url}/l/${token}`)
    expect([answer.status, await answer.text()]).toEqual([410, expect.stringMatching(/This task is done[\s\S]* did it on /)])
  })

  it('expires, and the task waits on', async () => {
    const ana = await newPerson()
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), await newOrder())
    const token = await tokenFor(ana)
    await lasting(run, -1)
    expect((await refused(open(token))).message).toContain('expired')
    expect((await refused(submit(token, { values: { Status: 'late' } }))).status).toBe(410)
    expect(await get(run)).toMatchObject({ state: 'waiting' })
  })

  it('holds no more once whoever it is for may not act any more', async () => {
    const ana = await newPerson()
    const run = await start(await publish([fill({ assignee: { tenantUserId: ana.tenantUserId } }), over]), await newOrder())
    const token = await tokenFor(ana)
    await world.call('lock_user', { tenantUserId: ana.tenantUserId })
    expect((await refused(submit(token, { values: { Status: 'x' } }))).status).toBe(403)
    expect(await get(run)).toMatchObject({ state: 'waiting' })
  })
})

describe('a link to a task that somebody makes', () => {
  const make = (workflowInstanceId: number, to: object, more: object = {}, key?: string) =>
    world.call('create_signed_link', { workflowInstanceId, to, ...more }, key === undefined ? {} : { key })

  it('is sent and never answered, asks the question, and is decided by an address without an account', async () => {
    const actions = [
      { internalName: 'approve', displays: [{ languageCode: 'en-US', name: 'It is right' }] },
      { internalName: 'reject', requiresComment: true },
    ]
    const run = await start(await publish([check({ actions }), over]), await newOrder())
    const phone = newPhone()
    const made = await make(run, { phone }, { expiresIn: 'P2D' })
    expect(Object.keys(made).toSorted()).toEqual(['expiresAt', 'linkId', 'message'])
    const token = tokenIn(await deliveredTo(phone))
    expect(await open(token)).toMatchObject({
      task: {
        question: expect.stringMatching(/^Is O-\d+ right\?$/),
        actions: [
          { internalName: 'approve', label: 'It is right', requiresComment: false },
          { internalName: 'reject', label: 'reject', requiresComment: true },
        ],
      },
    })
    expect(await open(token)).not.toHaveProperty('form')
    for (const wrong of [{}, { action: 'maybe' }, { action: 'reject' }, { action: 'approve', values: { Status: 'x' } }])
      expect((await refused(submit(token, wrong))).status).toBe(400)
    const by = { address: phone, linkId: made.linkId, madeBy: world.tenant.tenantUserId }
    expect(await submit(token, { choice: 'reject', comment: ' Two are missing ' })).toMatchObject({ by })
    const output = { action: 'reject', comment: 'Two are missing', by: phone }
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output })
    const log: { event: string }[] = await world.call('get_workflow_instance_log', { workflowInstanceId: run })
    const acted = log.find(({ event }) => event === 'acted')
    expect(acted).toMatchObject({ output: { action: 'reject', link: by }, comment: 'Two are missing' })
    expect(acted).not.toHaveProperty('by')
    expect((await refused(submit(token, { action: 'approve' }))).status).toBe(410)
  })

  it('counts one of two answers at once', async () => {
    const run = await start(await publish([check(), over]), await newOrder())
    const phone = newPhone()
    await make(run, { phone })
    const token = tokenIn(await deliveredTo(phone))
    const ends = await Promise.allSettled([submit(token, { action: 'approve' }), submit(token, { action: 'reject' })])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const won = ends[0]?.status === 'fulfilled' ? 'approve' : 'reject'
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: won } })
  })

  it('shows a question as a page that is answered with one press, in the language of who opens it', async () => {
    const run = await start(await publish([check({ dueIn: 'P1D' }), over]), await newOrder())
    const phone = newPhone()
    await make(run, { phone })
    const token = tokenIn(await deliveredTo(phone))
    const page = await browser.newPage({ viewport: { width: 390, height: 800 }, locale: 'de-DE' })
    await page.goto(`${url}/l/${token}`)
    await page.getByRole('heading', { name: /^Is O-\d+ right\?$/ }).waitFor()
    await page.getByText('Bitte antworten Sie bis').waitFor()
    await page.getByRole('button', { name: 'Genehmigen' }).click()
    await page.getByRole('heading', { name: 'Danke' }).waitFor()
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'approve', comment: null, by: phone } })
    await page.close()
  })

  it('is nobody’s who could not act themselves, and loses its right with its maker', async () => {
    const ana = await newPerson()
    const alone = await start(
      await publish([check({ assignee: { tenantUserId: ana.tenantUserId }, onlyAssignee: true }), over]),
      await newOrder(),
    )
    expect((await refused(make(alone, { phone: newPhone() }))).status).toBe(403)
    const run = await start(await publish([check(), over]), await newOrder())
    const { tenantUserId } = await newPerson({ roles: ['DataView', 'DataEdit'] })
    const { apiKey, apiKeyId } = await world.call('create_api_key', { name: 'maker', roles: ['DataView', 'DataEdit'], tenantUserId })
    const phone = newPhone()
    await make(run, { phone }, {}, apiKey)
    const token = tokenIn(await deliveredTo(phone))
    await world.call('revoke_api_key', { apiKeyId })
    expect((await refused(open(token))).status).toBe(403)
    expect((await refused(submit(token, { action: 'approve' }))).status).toBe(403)
    expect(await get(run)).toMatchObject({ state: 'waiting' })
  })

  it('is for nobody from whom the definition keeps the task apart', async () => {
    const ana = await newPerson({ roles: ['DataView', 'DataEdit'] })
    const { apiKey } = await world.call('create_api_key', {
      name: 'starter',
      roles: ['DataView', 'DataEdit'],
      tenantUserId: ana.tenantUserId,
    })
    const workflow = await publish([check({ notBy: ['startedBy'] }), over])
    const { workflowInstanceId: run } = await world.call('start_workflow', { workflow, eiRecordId: await newOrder() }, { key: apiKey })
    await until(run, 'waiting')
    expect((await refused(make(run, { tenantUserId: ana.tenantUserId }))).message).toContain('somebody else than who started')
    expect((await refused(make(run, { phone: newPhone() }, {}, apiKey))).status).toBe(403)
    expect(await make(run, { phone: newPhone() })).toHaveProperty('linkId')
  })

  it('says what a call lacks, and what it may not say', async () => {
    const lanes = [
      { internalName: 'one', steps: [{ ...check(), internalName: 'first' }] },
      { internalName: 'two', steps: [{ ...check(), internalName: 'second' }] },
    ]
    const run = await start(
      await publish([{ internalName: 'both', stepType: 'parallel', config: { lanes, join: 'all' } }]),
      await newOrder(),
    )
    const to = { phone: newPhone() }
    expect((await refused(make(run, to))).issues).toMatchObject([{ path: '$.step' }])
    expect((await refused(make(run, to, { step: 'third' }))).status).toBe(409)
    expect((await refused(make(run, to, { form: 'OrderForm' }))).issues).toMatchObject([{ path: '$.form' }])
    expect((await refused(make(run, to, { eiRecordId: 1 }))).issues).toMatchObject([{ path: '$.eiRecordId' }])
    expect((await refused(make(987_654_321, to))).status).toBe(404)
    const { linkId } = await make(run, to, { step: 'second' })
    expect(await linksOf(run)).toMatchObject([{ linkId, form: null, formId: null, workflowInstanceId: run }])
    await world.call('revoke_signed_link', { linkId })
    expect((await refused(open(tokenIn(await deliveredTo(to.phone))))).message).toContain('revoked')
    await world.call('cancel_workflow_instance', { workflowInstanceId: run })
    await until(run, 'cancelled')
    expect((await refused(make(run, to, { step: 'first' }))).status).toBe(409)
  })
})

describe('a task that no button does', () => {
  it('is told by e-mail with a link, since nobody knows for certain who wrote a mail', async () => {
    const ana = await newPerson({ channels: ['email'] })
    const run = await start(await publish([check({ assignee: { tenantUserId: ana.tenantUserId } }), over]), await newOrder())
    const token = tokenIn(await deliveredTo(ana.email))
    // The mail goes in the tenant's words for tasks.
    const mail = await world.sql`select mail_type, mail_title from platform.message where to_address = ${ana.email}`
    expect(mail).toMatchObject([{ mailType: 'taskAssigned', mailTitle: expect.stringMatching(/^Flow\d+, check$/) }])
    await submit(token, { action: 'approve' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'approve', by: ana.tenantUserId } })
  })
})
