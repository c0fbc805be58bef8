/** Subscriptions to events: what is sent, how it is signed, in which order, how often, and what is never sent. */
import { execFileSync } from 'node:child_process'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { deliverDue } from '#activities/events/deliver.ts'
import { createPoster } from '#activities/events/post.ts'
import { type Carrier, startCarrier } from '#server/worker/carrier.ts'
import { watcherKinds } from '#server/worker/watcher-kinds.ts'

import { inSystemTransaction } from '#platform/system.ts'
import { leadsOutside } from '#platform/outbound.ts'
import { metricsText } from '#platform/metrics.ts'
import { matchWaiting, measureDue } from '#tools/events/service.ts'
import { openSecrets, sealSecrets } from '#tools/events/signing.ts'
import { releaseSubscription, setSecrets } from '#tools/events/subscriptions.store.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
  readonly body: any
}

const received: Received[] = []
/** What a path answers; 204 unless told. */
const answers = new Map<string, (response: ServerResponse, count: number) => void>()
let server: Server
let base: string
let carrier: Carrier
let tenant: TestTenant
let as: { readonly key: string }

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, text, body: JSON.parse(text) })
      const answer = answers.get(path)
      if (answer) answer(response, at(path).length)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  carrier = startCarrier(world.platform.services, watcherKinds, { callMs: 2_000, isIdle: true })
  tenant = await world.newTenant()
  as = { key: tenant.key }
  await call('create_property', { internalName: 'Name', dataType: 'Text' }, as)
  await call('create_property', { internalName: 'Secret', dataType: 'Text', isSensitive: true }, as)
  await call('create_entity', { internalName: 'Pump', properties: [{ property: 'Name' }, { property: 'Secret' }] }, as)
})

afterAll(async () => {
  await carrier?.stop()
  server?.closeAllConnections()
  server?.close()
})

const at = (path: string) => received.filter((one) => one.path === path)
const subscribe = (path: string, kinds: readonly string[], more: object = {}, key = tenant.key) =>
  call('create_event_subscription', { url: `${base}${path}`, kinds, ...more }, { key })
const save = (key1: string, Name: string, more: object = {}) =>
  call('save_instance', { entity: 'Pump', key1, data: { Name, Secret: 'hush', ...more } }, as)
const deliveriesOf = (subscriptionId: number) => call('list_event_deliveries', { subscriptionId, pageSize: 200 }, as)
const statusOf = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()

/** As if so much time had passed for what is to be tried again. */
async function passes(subscriptionId: number, time: string): Promise<void> {
  await world.sql`update platform.event_delivery set next_at = next_at - ${time}::interval where subscription_id = ${subscriptionId}`
  await world.sql`
    update platform.event_subscription set next_look = next_look - ${time}::interval, failing_since = failing_since - ${time}::interval
    where subscription_id = ${subscriptionId}`
}

describe('a subscription', () => {
  it('is told of what it asked for, signed so that public libraries accept it, and by nothing that was altered or is late', async () => {
    const { secret, subscriptionId } = await subscribe('/signed', ['record.created'])
    const { eiRecordId } = await save('S-1', 'a')
    await carrier.drain()
    const [one, ...more] = at('/signed')
    expect(more).toEqual([])
    if (!one) throw new Error('Nothing came')
    const headers = {
      'webhook-id': String(one.headers['webhook-id']),
      'webhook-timestamp': String(one.headers['webhook-timestamp']),
      'webhook-signature': String(one.headers['webhook-signature']),
    }
    const judge = new Webhook(secret)
    expect(judge.verify(one.text, headers)).toEqual(one.body)
    expect(() => judge.verify(one.text.replace('S-1', 'S-2'), headers)).toThrow()
    expect(() => judge.verify(one.text, { ...headers, 'webhook-id': 'evt_other' })).toThrow()
    expect(() => judge.verify(one.text, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) })).toThrow()
    // The same by Python's own library, as the reference of the standard has it.
    const script =
      'import base64,hashlib,hmac,sys; s,i,t=sys.argv[1:4]; b=sys.stdin.buffer.read(); print("v1,"+base64.b64encode(hmac.new(base64.b64decode(s[6:]),f"{i}.{t}.".encode()+b,hashlib.sha256).digest()).decode())'
    const args = ['-c', script, secret, headers['webhook-id'], headers['webhook-timestamp']]
    expect(execFileSync('python3', args, { input: one.text }).toString().trim()).toBe(headers['webhook-signature'])
    expect(one.body).toMatchObject({
      type: 'record.created',
      data: {
        tenantId: tenant.tenantId,
        entity: 'Pump',
        eiRecordId,
        externalKey: 'S-1',
        version: 1,
        changed: ['Name'],
        values: { Name: 'a' },
      },
    })
    expect(one.text).not.toContain('hush')
    const [delivery] = await deliveriesOf(subscriptionId)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, eventId: headers['webhook-id'], tries: [{ status: 204 }] })
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('gets each record of a bulk, those alone that its filter wants, as they were when it happened', async () => {
    const filter = { entity: 'Pump', rules: [{ property: 'Name', op: 'eq', value: 'wanted' }] }
    const { subscriptionId } = await subscribe('/filtered', ['record.created', 'record.updated', 'record.deleted'], { filter })
    const rows = ['wanted', 'other', 'wanted'].map((Name, index) => ({ key1: `F-${index}`, data: { Name } }))
    await call('save_instances_bulk', { entity: 'Pump', rows }, as)
    // Before anybody looked, one of them is another already.
    await save('F-0', 'other')
    await call('delete_instance', { entity: 'Pump', record: 'F-2' }, as)
    await carrier.drain()
    expect(at('/filtered').map(({ body }) => [body.type, body.data.externalKey, body.data.values.Name])).toEqual([
      ['record.created', 'F-0', 'wanted'],
      ['record.created', 'F-2', 'wanted'],
      ['record.deleted', 'F-2', 'wanted'],
    ])
    await call('update_property', { property: 'Name', internalName: 'Title' }, as)
    const [shown] = await call('list_event_subscriptions', {}, as)
    expect(shown).toMatchObject({ subscriptionId, filter: { entity: 'Pump', rules: [{ property: 'Title' }] }, validation: null })
    await call('update_property', { property: 'Title', internalName: 'Name' }, as)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('does not stand in the way of others where its filter names what is gone', async () => {
    await call('create_property', { internalName: 'Grade', dataType: 'Text' }, as)
    await call('attach_property', { entity: 'Pump', property: 'Grade' }, as)
    const rules = [{ property: 'Grade', op: 'eq', value: 'x' }]
    const lost = await subscribe('/gone', ['record.created'], { filter: { entity: 'Pump', rules } })
    const sound = await subscribe('/sound', ['record.created'], {
      filter: { entity: 'Pump', rules: [{ property: 'Name', op: 'eq', value: 'a' }] },
    })
    const detach = { entity: 'Pump', entityPropertyId: 'Grade' }
    expect(await world.refusal('detach_property', detach, tenant.key)).toMatchObject({ code: 'conflict' })
    await call('detach_property', { ...detach, force: true }, as)
    await save('G-1', 'a')
    await carrier.drain()
    expect(at('/gone')).toEqual([])
    expect(at('/sound')).toHaveLength(1)
    const shown: { subscriptionId: number; validation: object | null }[] = await call('list_event_subscriptions', {}, as)
    expect(shown.find(({ subscriptionId }) => subscriptionId === lost.subscriptionId)?.validation).not.toBeNull()
    for (const { subscriptionId } of [lost, sound]) await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('hears of the changes of a record in their order, and of the next one although one failed, which comes again by itself', async () => {
    const { subscriptionId } = await subscribe('/ordered', ['record.created', 'record.updated'])
    answers.set('/ordered', (response, count) => statusOf(count === 2 ? 500 : 204)(response))
    for (const Name of ['a', 'b', 'c', 'd']) await save('O-1', Name)
    await carrier.drain()
    expect(at('/ordered').map(({ body }) => body.data.version)).toEqual([1, 2, 3, 4])
    await passes(subscriptionId, '5 seconds')
    await carrier.drain()
    expect(at('/ordered').map(({ body }) => body.data.version)).toEqual([1, 2, 3, 4, 2])
    const [, second] = at('/ordered')
    expect(at('/ordered')[4]?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('is tried ten times over three days, then given up with a notice, and sent once more when somebody asks', async () => {
    const { subscriptionId } = await subscribe('/dead', ['user.created'])
    answers.set('/dead', statusOf(503))
    await call('create_user', { userName: 'dead', email: 'dead@people.test', roles: [] }, as)
    await carrier.drain()
    const pauses = ['5 seconds', '5 minutes', '30 minutes', '2 hours', '5 hours', '10 hours', '14 hours', '20 hours', '24 hours']
    for (const pause of pauses) {
      const [{ nextDate, tries }] = await deliveriesOf(subscriptionId)
      const [row] = await world.sql<[{ ms: number }]>`select extract(epoch from ${pause}::interval)::float8 * 1000 as ms`
      expect(Date.parse(nextDate) - Date.parse(tries.at(-1).at)).toBe(row.ms)
      await passes(subscriptionId, pause)
      await carrier.drain()
    }
    const [dead] = await deliveriesOf(subscriptionId)
    expect(dead).toMatchObject({ state: 'dead', attempts: 10, nextDate: null, reason: 'It answered 503.' })
    const { messages } = await call('list_inbox', {}, as)
    expect(messages[0].text).toContain('was given up')
    answers.delete('/dead')
    const before = at('/dead').length
    await call('redeliver_event', { deliveryId: dead.deliveryId }, as)
    await carrier.drain()
    expect(at('/dead').length).toBe(before + 1)
    expect((await deliveriesOf(subscriptionId))[0]).toMatchObject({ state: 'delivered', attempts: 1 })
    expect((await call('list_event_subscriptions', {}, as))[0].failingSince).toBeNull()
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('is switched off after five days without a success, or when its target is gone, with a notice; then nothing is queued until it is on again', async () => {
    const { subscriptionId } = await subscribe('/lost', ['user.created'])
    answers.set('/lost', statusOf(500))
    await call('create_user', { userName: 'lost1', email: 'lost1@people.test', roles: [] }, as)
    await carrier.drain()
    await passes(subscriptionId, '5 days')
    await carrier.drain()
    const [off] = await call('list_event_subscriptions', {}, as)
    expect(off).toMatchObject({ isEnabled: false, disabledReason: 'No delivery succeeded for five days.' })
    expect((await call('list_inbox', {}, as)).messages[0].text).toContain('no longer sent')
    const [{ deliveryId }] = await deliveriesOf(subscriptionId)
    expect(await world.refusal('redeliver_event', { deliveryId }, tenant.key)).toMatchObject({ code: 'conflict' })
    await call('create_user', { userName: 'lost2', email: 'lost2@people.test', roles: [] }, as)
    await carrier.drain()
    expect(await deliveriesOf(subscriptionId)).toHaveLength(1)
    answers.set('/lost', statusOf(410))
    await call('update_event_subscription', { subscriptionId, isEnabled: true }, as)
    await passes(subscriptionId, '5 days')
    await carrier.drain()
    expect((await call('list_event_subscriptions', {}, as))[0]).toMatchObject({ isEnabled: false, failingSince: expect.any(String) })
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('is switched off where a target leaves more than a hundred thousand waiting for hours, and not for what was queued at once', async () => {
    const { subscriptionId } = await subscribe('/flooded', ['user.created'])
    const flood = async (hoursAgo: number, from: number, to: number) => {
      await world.sql`
        insert into platform.event_delivery (tenant_id, subscription_id, kind, event_at, state, next_at, created_date)
        select ${tenant.tenantId}, ${subscriptionId}, 'user.created', now(), 'waiting', now() + n * interval '1 hour', now() - ${hoursAgo}::int * interval '1 hour'
        from generate_series(${from}::int, ${to}::int) n`
      await world.sql`update platform.event_subscription set next_look = now() where subscription_id = ${subscriptionId}`
      await carrier.drain()
    }
    await flood(0, -40, 100_000)
    expect((await call('list_event_subscriptions', {}, as))[0]).toMatchObject({ isEnabled: true })
    await flood(7, -40, 0)
    const [off] = await call('list_event_subscriptions', {}, as)
    expect(off).toMatchObject({ isEnabled: false, disabledReason: expect.stringContaining('100000 deliveries wait') })
    expect(at('/flooded').length).toBeGreaterThan(30)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('signs with the former secret too for a day after a rotation, and never after', async () => {
    const { secret, subscriptionId } = await subscribe('/rotated', ['user.created'])
    const rotated = await call('rotate_event_subscription_secret', { subscriptionId }, as)
    await call('create_user', { userName: 'rotated1', email: 'rotated1@people.test', roles: [] }, as)
    await carrier.drain()
    const [both] = at('/rotated')
    const headersOf = (one: Received | undefined) =>
      Object.fromEntries(Object.entries(one?.headers ?? {}).map(([name, value]) => [name, String(value)]))
    for (const one of [secret, rotated.secret]) expect(new Webhook(one).verify(both?.text ?? '', headersOf(both))).toEqual(both?.body)
    expect(String(both?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(Date.parse(rotated.formerUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000)

    // As if the day were over.
    const { services } = world.platform
    await inSystemTransaction(services, tenant.tenantId, async ({ tx }) => {
      const [{ sealedSecrets }] = await tx<[{ sealedSecrets: Buffer }]>`
        select sealed_secrets from platform.event_subscription where tenant_id = ${tenant.tenantId} and subscription_id = ${subscriptionId}`
      const kept = (await openSecrets(tx, services, tenant.tenantId, { subscriptionId, sealedSecrets })) ?? []
      expect(kept.map(({ until }) => until)).toEqual([undefined, rotated.formerUntil])
      const over = kept.map((one) => (one.until === undefined ? one : { ...one, until: new Date(Date.now() - 1_000).toISOString() }))
      await setSecrets(tx, tenant.tenantId, subscriptionId, await sealSecrets(tx, services, tenant.tenantId, subscriptionId, over))
    })
    await call('create_user', { userName: 'rotated2', email: 'rotated2@people.test', roles: [] }, as)
    await carrier.drain()
    const [, after] = at('/rotated')
    expect(new Webhook(rotated.secret).verify(after?.text ?? '', headersOf(after))).toEqual(after?.body)
    expect(() => new Webhook(secret).verify(after?.text ?? '', headersOf(after))).toThrow()
    expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('reaches nothing inside by a name that leads there, whatever was said when it was made', async () => {
    const inside = new URL(base)
    inside.hostname = 'localhost'
    const made = await call('create_event_subscription', { url: `${inside.origin}/inward`, kinds: ['user.created'] }, as)
    await call('create_user', { userName: 'inward', email: 'inward@people.test', roles: [] }, as)
    const { services } = world.platform
    await matchWaiting(services, watcherKinds)
    // The network that tests may reach is closed: the name leads elsewhere than an operator permits.
    const poster = createPoster({ config: { ...services.config, outboundAllow: [] } }, { callMs: 2_000 })
    const ref = { tenantId: tenant.tenantId, subscriptionId: made.subscriptionId }
    expect(await deliverDue(services, poster, ref, 'closed', new AbortController().signal)).toBe(1)
    await poster.close()
    const [refused] = await deliveriesOf(made.subscriptionId)
    expect(refused).toMatchObject({ state: 'retrying', reason: expect.stringContaining('private, link-local or loopback') })
    expect(refused.tries[0]).not.toHaveProperty('status')
    expect(at('/inward')).toEqual([])
    await call('delete_event_subscription', { subscriptionId: made.subscriptionId }, as)
  })

  it('is counted where an operator looks: tries by what they came to, and what is due', async () => {
    const { subscriptionId } = await subscribe('/counted', ['user.created'])
    answers.set('/counted', (response, count) => void response.writeHead(count === 1 ? 500 : 204).end())
    const tries = async (state: string) =>
      Number(new RegExp(`fieldloop_event_tries_total\\{state="${state}"\\} (\\d+)`).exec(await metricsText())?.[1] ?? 0)
    const before = [await tries('retrying'), await tries('delivered')]
    await call('create_user', { userName: 'counted', email: 'counted@people.test', roles: [] }, as)
    await matchWaiting(world.platform.services, watcherKinds)
    expect((await world.platform.services.databases.lookUp(measureDue)).due).toBe(1)
    await carrier.drain()
    await passes(subscriptionId, '1 minute')
    await carrier.drain()
    expect([await tries('retrying'), await tries('delivered')]).toEqual(before.map((count) => count + 1))
    expect(await metricsText()).toMatch(/fieldloop_event_delivery_seconds_count [1-9]/)
    expect(await world.platform.services.databases.lookUp(measureDue)).toEqual({ due: 0, oldestSeconds: 0 })
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('neither follows a redirect, nor waits for an answer by the byte, one without an end, or one that never comes; others are not delayed', async () => {
    answers.set('/redirect', (response) => void response.writeHead(302, { location: `${base}/inside` }).end())
    answers.set('/endless', (response) => void response.writeHead(200).write('x'))
    answers.set('/silent', () => {})
    const made = []
    for (const path of ['/redirect', '/endless', '/silent', '/quick']) made.push(await subscribe(path, ['user.created']))
    await call('create_user', { userName: 'slow', email: 'slow@people.test', roles: [] }, as)
    await carrier.drain()
    const ends = []
    for (const { subscriptionId } of made) ends.push((await deliveriesOf(subscriptionId))[0])
    expect(ends.map(({ state }) => state)).toEqual(['retrying', 'delivered', 'retrying', 'delivered'])
    expect(ends[0].tries[0]).toMatchObject({ status: 302, error: expect.stringContaining('redirect') })
    expect(ends[2].tries[0].error).toBe('It did not answer in time.')
    expect(at('/inside')).toEqual([])
    expect(at('/quick')).toHaveLength(1)
    for (const { subscriptionId } of made) await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('goes out once, however many carriers look, and is sent again where one died before it was written down', async () => {
    const { subscriptionId } = await subscribe('/once', ['record.created'])
    const rows = Array.from({ length: 60 }, (_, index) => ({ key1: `N-${index}`, data: { Name: 'x' } }))
    await call('save_instances_bulk', { entity: 'Pump', rows }, as)
    const other = startCarrier(world.platform.services, watcherKinds, { callMs: 2_000, isIdle: true })
    await Promise.all([carrier.drain(), other.drain()])
    await carrier.drain()
    await other.stop()
    expect(new Set(at('/once').map(({ headers }) => headers['webhook-id'])).size).toBe(60)
    expect(at('/once')).toHaveLength(60)
    // As a process leaves it that dies between the answer and its note: due, under a lease that is over.
    const [first] = await world.sql<[{ deliveryId: string }]>`
      update platform.event_delivery set state = 'waiting', attempts = 0, next_at = now()
      where delivery_id = (select min(delivery_id) from platform.event_delivery where subscription_id = ${subscriptionId}) returning delivery_id`
    await world.sql`
      update platform.event_subscription set next_look = now(), lease_owner = 'dead', leased_until = now() - interval '1 second'
      where subscription_id = ${subscriptionId}`
    await carrier.drain()
    expect(at('/once')).toHaveLength(61)
    const again = (await deliveriesOf(subscriptionId)).find(
      ({ deliveryId }: { deliveryId: number }) => deliveryId === Number(first.deliveryId),
    )
    expect(at('/once').at(-1)?.headers['webhook-id'] ?? '').toBe(again?.eventId)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('is given back at the end of a turn that leaves something, so that another goes on at once', async () => {
    const { subscriptionId } = await subscribe('/left', ['user.created'])
    await call('create_user', { email: 'left@people.test', roles: [] }, as)
    const { services } = world.platform
    await matchWaiting(services, watcherKinds)
    const ref = { tenantId: tenant.tenantId, subscriptionId }
    await deliverDue(services, createPoster(services, { callMs: 400 }), ref, 'ended', AbortSignal.abort())
    expect(at('/left')).toHaveLength(0)
    await carrier.drain()
    expect(at('/left')).toHaveLength(1)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('is told of what happens once it is there, also while others are being asked', async () => {
    const { subscriptionId } = await subscribe('/old', ['user.created'])
    await call('create_user', { email: 'first@people.test', roles: [] }, as)
    const { services } = world.platform
    let made: { subscriptionId: number } | undefined
    const { lookUp } = services.databases
    const between: typeof lookUp = async (work, caller) => {
      if (caller !== undefined && !made) {
        made = await subscribe('/new', ['user.created'])
        await call('create_user', { email: 'second@people.test', roles: [] }, as)
      }
      return lookUp(work, caller)
    }
    await matchWaiting({ ...services, databases: { ...services.databases, lookUp: between } }, watcherKinds)
    await carrier.drain()
    expect([at('/old').length, at('/new').length]).toEqual([2, 1])
    for (const one of [subscriptionId, made?.subscriptionId]) await call('delete_event_subscription', { subscriptionId: one }, as)
  })

  it('is looked at again where deliveries are queued while its turn ends', async () => {
    const { subscriptionId } = await subscribe('/meanwhile', ['user.created'])
    const { tenantId } = tenant
    await world.sql`update platform.event_subscription set lease_owner = 'ending' where subscription_id = ${subscriptionId}`
    let release: Promise<void> | undefined
    await world.sql.begin(async (tx) => {
      await tx`
        insert into platform.event_delivery (tenant_id, subscription_id, kind, event_at, state, next_at, created_date)
        values (${tenantId}, ${subscriptionId}, 'user.created', now(), 'waiting', now(), now())`
      await tx`update platform.event_subscription set next_look = now() where subscription_id = ${subscriptionId}`
      release = inSystemTransaction(world.platform.services, tenantId, (context) =>
        releaseSubscription(context.tx, tenantId, subscriptionId, 'ending'),
      )
      // It waits for the row that this transaction holds.
      await expect
        .poll(
          () =>
            world.sql`
              select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%event_subscription%'`,
        )
        .not.toHaveLength(0)
    })
    await release
    await carrier.drain()
    expect(at('/meanwhile')).toHaveLength(1)
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('sends a sample on request, and says what the target answered', async () => {
    const { subscriptionId } = await subscribe('/tested', ['record.updated'])
    const answer = call('test_event_subscription', { subscriptionId, timeoutSeconds: 20 }, as)
    await expect
      .poll(
        async () => {
          await carrier.drain()
          return at('/tested').length
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    expect(await answer).toMatchObject({ state: 'delivered', isSample: true, type: 'record.updated', tries: [{ status: 204 }] })
    expect(at('/tested')[0]?.body.data).toMatchObject({ isSample: true, tenantId: tenant.tenantId })
    await call('delete_event_subscription', { subscriptionId }, as)
  })

  it('tells no more than its maker may see when it is sent, and nothing once they may not', async () => {
    const key = await tenant.keyWith(['AdminIntegration', 'DataView'])
    const { tenantUserId } = await call('whoami', {}, { key })
    await call('create_entity', { internalName: 'Visit', properties: [{ property: 'Name' }] }, as)
    const { subscriptionId } = await subscribe('/seen', ['record.created'], { filter: { entity: 'Visit' } }, key)
    for (const Name of ['mine', 'theirs']) await call('save_instance', { entity: 'Visit', key1: Name, data: { Name } }, as)
    const filter = { rules: [{ property: 'Name', op: 'eq', value: 'mine' }] }
    await call('set_entity_access', { entity: 'Visit', rules: [{ tenantUserId, read: true, filter }] }, as)
    await carrier.drain()
    expect(at('/seen').map(({ body }) => body.data.externalKey)).toEqual(['mine'])
    const deliveries = await deliveriesOf(subscriptionId)
    expect(deliveries.map(({ state }: { state: string }) => state).toSorted()).toEqual(['delivered', 'skipped'])
    const blind = await tenant.keyWith(['AdminIntegration'])
    expect(await world.refusal('create_event_subscription', { url: `${base}/x`, kinds: ['record.created'] }, blind)).toMatchObject({
      code: 'forbidden',
    })
    await call('delete_event_subscription', { subscriptionId }, as)
  })
})

describe('a tenant where somebody watches', () => {
  it('has nothing wait for a change that nobody watches for', async () => {
    const filter = { entity: 'Pump' }
    const { subscriptionId } = await subscribe('/coarse', ['record.deleted'], { filter })
    await call('create_entity', { internalName: 'Other' }, as)
    await call('save_instance', { entity: 'Other', key1: 'X', data: {} }, as)
    await save('C-1', 'a')
    const waiting = await world.sql`select 1 from platform.event where tenant_id = ${tenant.tenantId} and is_waiting`
    expect(waiting).toHaveLength(0)
    await call('delete_instance', { entity: 'Pump', record: 'C-1' }, as)
    expect(await world.sql`select 1 from platform.event where tenant_id = ${tenant.tenantId} and is_waiting`).toHaveLength(1)
    await carrier.drain()
    expect(at('/coarse')).toHaveLength(1)
    await call('delete_event_subscription', { subscriptionId }, as)
  })
})

describe('what a subscription may name', () => {
  it.each([
    ['https://169.254.169.254/latest', 'unprocessable'],
    ['https://[::1]/x', 'unprocessable'],
    ['https://10.0.0.1/x', 'unprocessable'],
    ['ftp://example.com/x', 'invalid_input'],
    ['https://user:word@example.com/x', 'invalid_input'],
    ['https://0xa000001/x', 'unprocessable'],
    ['http://1.1.1.1/x', 'invalid_input'],
    ['http://[2606:4700::1111]/x', 'invalid_input'],
    ['http://no-such-host.invalid/x', 'invalid_input'],
  ])('refuses the address %s', async (url, code) => {
    const error = await world.refusal('create_event_subscription', { url, kinds: ['user.created'] }, tenant.key)
    expect(error.code).toBe(code)
  })

  it('takes http inside a network that the operator permits alone, also when it is changed', async () => {
    const { subscriptionId } = await subscribe('/plain', ['user.created'])
    const url = 'http://1.1.1.1/events'
    const refused = await world.refusal('update_event_subscription', { subscriptionId, url }, tenant.key)
    expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.url', suggestion: 'https://1.1.1.1/events' }] })
    await call('delete_event_subscription', { subscriptionId }, as)
    const { services } = world.platform
    const inside = leadsOutside(services.config, 'localhost', 2_000)
    expect(await inside).toBe(false)
    expect(await leadsOutside({ outboundAllow: [] }, 'localhost', 2_000)).toBe(true)
  })

  it('names what is unknown in kinds and filters, and what no filter fits', async () => {
    const refused = (input: object) => world.refusal('create_event_subscription', { url: `${base}/x`, ...input }, tenant.key)
    expect(await refused({ kinds: ['record.create'] })).toMatchObject({ code: 'invalid_input' })
    expect(await refused({ kinds: ['record.created'], filter: { entity: 'Pumb' } })).toMatchObject({ code: 'unknown_entity' })
    const rules = [{ property: 'Nam', op: 'eq', value: 'x' }]
    expect(await refused({ kinds: ['record.created'], filter: { entity: 'Pump', rules } })).toMatchObject({ code: 'unknown_property' })
    expect(await refused({ kinds: ['user.created'], filter: { entity: 'Pump' } })).toMatchObject({ code: 'invalid_input' })
  })
})
