/** Runs that call operations in somebody's name: what they may do, what is told of them, and that a try again does nothing twice. */
import { Readable } from 'node:stream'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { type ActingFor, type InsideCall, runAs } from '#platform/acting.ts'
import type { Platform } from '#platform/platform.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import type { Origin } from '#platform/shapes/origin.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { refused } from './support/refused.ts'
import { steps } from './support/test-operations.ts'
import type { TestTenant } from './support/world.ts'

let opened: PipelineWorld
let platform: Platform
let tenant: TestTenant
let runs = 100
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ platform } = opened)
  tenant = opened.world.tenant
})
afterAll(() => opened?.close())
afterEach(() => steps.clear())

async function newUser(roles: readonly RoleName[], isService = false): Promise<number> {
  const name = `run-user-${++runs}`
  const [person] = await opened.world.sql<
    { userId: number }[]
  >`insert into platform.app_user (user_name) values (${name}) returning user_id`
  const [user] = await opened.world.sql<{ tenantUserId: number }[]>`
    insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, role_flag, is_service)
    values (${tenant.tenantId}, ${person?.userId ?? 0}, ${name}, ${name}, ${flagOf(roles)}, ${isService}) returning tenant_user_id`
  return user?.tenantUserId ?? 0
}

/** A run of its own in the user's name. */
function runOf(tenantUserId: number, roles?: readonly RoleName[]): ActingFor {
  const origin = { kind: 'workflow', id: ++runs, depth: 2 } as const
  return { tenantId: tenant.tenantId, tenantUserId, origin, ...(roles ? { roleFlag: flagOf(roles) } : {}) }
}

const call = (who: ActingFor, name: string, input: unknown = {}, options: InsideCall = {}, on = platform) =>
  runAs(on.services, who, name, input, options)

const auditOf = (who: ActingFor) =>
  opened.world.sql`select operation, outcome, transport, tenant_user_id from platform.audit_event
    where tenant_id = ${tenant.tenantId} and credential_id = ${`workflow:${who.origin.id}`} order by audit_event_id`

describe('a call of a run', () => {
  it('may what its user may, is audited as the run, and tells what caused it', async () => {
    const tenantUserId = await newUser(['DataEdit', 'DataView'])
    const who = runOf(tenantUserId)
    let origin: Origin | undefined
    steps.set('told', (context) => void (origin = context.origin))
    expect(await call(who, 'write_twice', { label: 'told' })).toEqual({ effectId: expect.any(Number), attempt: 1 })
    expect(origin).toEqual(who.origin)
    expect(await call(who, 'whoami')).toMatchObject({ tenantUserId })
    await expect(call(who, 'create_property', { internalName: 'Never', dataType: 'Text' })).rejects.toMatchObject(
      refused('forbidden', /needs the role BuilderAdmin/),
    )
    expect(await auditOf(who)).toEqual([
      { operation: 'write_twice', outcome: 'done', transport: 'internal', tenantUserId },
      { operation: 'create_property', outcome: 'denied', transport: 'internal', tenantUserId },
    ])
  })

  it('has no more than the roles of the run: of a person those that both have, of a service user the run’s alone', async () => {
    const label = 'roles'
    const person = await newUser(['DataEdit'])
    await expect(call(runOf(person, ['DataView']), 'write_twice', { label })).rejects.toMatchObject(refused('forbidden'))
    await expect(call(runOf(person, ['BuilderAdmin']), 'create_property', { internalName: 'N', dataType: 'Text' })).rejects.toMatchObject(
      refused('forbidden'),
    )
    // The roles of the version that the run follows, whatever a later one gave the service user.
    const service = await newUser([], true)
    await call(runOf(service, ['DataEdit']), 'write_twice', { label })
    await expect(call(runOf(service), 'write_twice', { label })).rejects.toMatchObject(refused('forbidden'))
    expect(await opened.effects(label)).toBe(2)
  })

  it('ends with its user and its tenant: once locked, suspended or of another tenant it is refused', async () => {
    const tenantUserId = await newUser(['DataEdit'])
    await call(runOf(tenantUserId), 'write_twice', { label: 'before' })
    await opened.call('lock_user', { tenantUserId })
    await expect(call(runOf(tenantUserId), 'write_twice', { label: 'locked' })).rejects.toMatchObject(refused('unauthenticated'))
    const other = await opened.world.newTenant()
    const strange = { ...runOf(other.tenantUserId), tenantId: tenant.tenantId }
    await expect(call(strange, 'write_twice', { label: 'locked' })).rejects.toMatchObject(refused('unauthenticated'))
    await opened.world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${other.tenantId}`
    await expect(call({ ...strange, tenantId: other.tenantId }, 'write_twice', { label: 'locked' })).rejects.toMatchObject(
      refused('tenant_suspended'),
    )
    expect(await opened.effects('locked')).toBe(0)
  })

  it('with its key is done once, also by another process and after a day, and apart from other runs', async () => {
    const tenantUserId = await newUser(['DataEdit'])
    const who = runOf(tenantUserId)
    const first = await call(who, 'write_twice', { label: 'once' }, { key: 'step-1' })
    expect(await call(who, 'write_twice', { label: 'once' }, { key: 'step-1' }, opened.other)).toEqual(first)
    const kept = await opened.world.sql`
      select expires_at > now() + interval '1 year' as is_long from platform.idempotency_key where credential_id = ${`workflow:${who.origin.id}`}`
    expect(kept).toEqual([{ isLong: true }])
    expect(await opened.effects('once')).toBe(2)
    await call(runOf(tenantUserId), 'write_twice', { label: 'once' }, { key: 'step-1' })
    expect(await opened.effects('once')).toBe(4)
  })

  it.each(['write_twice', 'write_staged'])('commits what is to be noted with %s once, and nothing of both where it fails', async (name) => {
    const who = runOf(await newUser(['DataEdit']))
    const noted = (text: string): InsideCall => ({
      key: text,
      commitWith: async (tx) => void (await tx`insert into platform.test_effect (tenant_id, label) values (${tenant.tenantId}, ${text})`),
    })
    const note = `${name} noted`
    await call(who, name, { label: `${name} with` }, noted(note))
    await call(who, name, { label: `${name} with` }, noted(note))
    expect([await opened.effects(note), await opened.effects(`${name} with`)]).toEqual([1, 2])
    steps.set(`${name} failing`, () => Promise.reject(new Error('It fails')))
    await expect(call(who, name, { label: `${name} failing` }, noted(`${note} failing`))).rejects.toMatchObject(refused('internal'))
    expect(await opened.effects(`${note} failing`)).toBe(0)
  })

  it('commits what is to be noted with a read', async () => {
    const who = runOf(await newUser(['DataView']))
    const commitWith: InsideCall['commitWith'] = async (tx, answer) =>
      void (await tx`insert into platform.test_effect (tenant_id, label) values (${tenant.tenantId}, ${`read ${Object.keys(answer as object).join()}`})`)
    await call(who, 'list_languages', {}, { commitWith })
    expect(await opened.effects('read items')).toBe(1)
  })

  it('answers as over MCP: lists in an object, values once, and no secret', async () => {
    const who = runOf(await newUser(['BuilderAdmin', 'DataEdit', 'DataView', 'AdminUser', 'AdminIntegration']))
    await call(who, 'create_property', { internalName: 'Acted', dataType: 'Text' })
    await call(who, 'create_entity', { internalName: 'ActedOn', properties: [{ property: 'Acted' }] })
    const saved = await call(who, 'save_instance', { entity: 'ActedOn', key1: 'A', data: { Acted: 'by a run' } })
    expect(saved).toMatchObject({ key1: 'A', outcome: 'inserted' })
    const listed = await call(who, 'list_instances', { entity: 'ActedOn' })
    expect(listed).toMatchObject({ items: [{ key1: 'A', data: { Acted: 'by a run' } }], totalCount: 1 })
    expect(listed).not.toHaveProperty('items[0].dataJson')
    await expect(call(who, 'create_api_key', { name: 'mine', roles: [] })).rejects.toMatchObject(refused('forbidden', /secret/))
    await expect(call(who, 'answer_anyone')).rejects.toMatchObject(refused('not_found', /no tool answer_anyone/))
    await expect(call(who, 'nothing_such')).rejects.toMatchObject(refused('not_found', /no tool nothing_such/))
  })

  it('shares the rate of one key with all runs in its user’s name', async () => {
    const narrow = await opened.open({ CALLS_PER_MINUTE: '3' })
    const [one, two] = [await newUser(['DataView']), await newUser(['DataView'])]
    for (let n = 0; n < 3; n++) await call(runOf(one), 'whoami', {}, {}, narrow)
    await expect(call(runOf(one), 'whoami', {}, {}, narrow)).rejects.toMatchObject(refused('rate_limited'))
    await call(runOf(two), 'whoami', {}, {}, narrow)
  })

  it('hands its depth to the jobs that it starts', async () => {
    const who = runOf(await newUser(['BuilderAdmin', 'DataImport', 'DataView', 'FileEdit']))
    await call(who, 'create_entity', { internalName: 'ActedIn' })
    const upload = {
      stream: Readable.from([Buffer.from('key1\nA\n')]),
      fileName: 'rows.csv',
      mimeType: undefined,
      isTruncated: () => false,
    }
    const { assetKey } = await opened.world.call('upload_asset', {}, { upload })
    await call(who, 'import_instances', { entity: 'ActedIn', assetKey })
    const jobs = await opened.world.sql`
      select depth, started_by from platform.job where tenant_id = ${tenant.tenantId} and kind = 'instanceImport'`
    expect(jobs).toEqual([{ depth: 2, startedBy: who.tenantUserId }])
  })
})
