/** The purger: what removing a tenant takes is nobody else's wait, and it stops and goes on where it stopped. */
import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it, vi } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { startPurger } from '#server/worker/purger.ts'
import { startTicker } from '#server/worker/ticker.ts'
import { queueJob } from '#tools/jobs/service.ts'
import { type ScheduleKinds, turnOn } from '#tools/schedules/service.ts'
import { purgeDueTenants } from '#tools/tenants/service.ts'

import { eventually } from './support/patience.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

const kind = 'noted'
const kinds: ScheduleKinds = {
  [kind]: {
    needs: 'DataView',
    queue: (context, due) => queueJob(context, { kind, operation: 'set_view_sync', requiredRoles: 'DataView', input: due }),
  },
}

/** Whose schedule is due at once. */
async function withSchedule(): Promise<TestTenant> {
  const tenant = await world.newTenant()
  const { tenantId, tenantUserId } = tenant
  const [row] = await world.sql<{ definitionId: number }[]>`
    insert into platform.definition (tenant_id, kind, internal_name, body, refs, owner_id)
    values (${tenantId}, 'view', ${crypto.randomUUID()}, '{}', '[]', ${tenantUserId}) returning definition_id`
  await inSystemTransaction(world.platform.services, tenantId, async (context) => {
    const actor = { ...context.actor, tenantUserId, roleFlag: 511 }
    await turnOn({ ...context, actor }, { kind, definitionId: row?.definitionId ?? 0 }, { everyMinutes: 10 }, { label: 'x' })
  })
  return tenant
}

/** Whose time to be kept is over. */
async function withFiles(count: number): Promise<TestTenant> {
  const tenant = await world.newTenant()
  const { tenantId } = tenant
  for (let n = 0; n < count; n++)
    await world.platform.services.storage.put(`${tenantId}/2026/11/${n % 3}/${n}`, Readable.from([Buffer.from('x')]), { maxBytes: 9 })
  await world.sql`update platform.tenant set is_deactivated = true, delete_after = now() - interval '1 hour' where tenant_id = ${tenantId}`
  return tenant
}

const find = ({ tenantId }: TestTenant) => world.call('get_tenant', { tenantId }, { key: global.key })

describe('removing a tenant', () => {
  it('holds up nothing of another, ends with its process, and goes on with the next', async () => {
    const { services } = world.platform
    const gone = await withFiles(1)
    const held = Promise.withResolvers<void>()
    const remove = vi.spyOn(services.storage, 'delete').mockImplementation(() => held.promise)
    const purger = startPurger(services)
    const ticker = startTicker(services, kinds)
    try {
      await eventually(() => remove.mock.calls.length > 0, 'a file is being deleted')
      const { tenantId } = await withSchedule()
      await expect.poll(() => world.sql`select 1 from platform.job where tenant_id = ${tenantId} and kind = ${kind}`).toHaveLength(1)
    } finally {
      const stopping = Promise.all([ticker.stop(), purger.stop()])
      held.resolve()
      await stopping
      remove.mockRestore()
    }
    expect(await find(gone)).toHaveProperty('deletionDate')
    expect(await Array.fromAsync(services.storage.walk(String(gone.tenantId)))).toHaveLength(1)
    const again = startPurger(services)
    try {
      await eventually(async () => (await find(gone).catch(() => undefined)) === undefined, 'the tenant is removed')
    } finally {
      await again.stop()
    }
    await expect(find(gone)).rejects.toMatchObject(refused('not_found'))
    expect(await Array.fromAsync(services.storage.walk(String(gone.tenantId)))).toEqual([])
  })

  it('deletes 16 files at once', async () => {
    const { storage } = world.platform.services
    const gone = await withFiles(50)
    const whole = storage.delete.bind(storage)
    let underWay = 0
    let most = 0
    const remove = vi.spyOn(storage, 'delete').mockImplementation(async (path) => {
      most = Math.max(most, ++underWay)
      await whole(path)
      underWay--
    })
    await purgeDueTenants(world.platform.services)
    expect([remove.mock.calls.length, most]).toEqual([50, 16])
    remove.mockRestore()
    await expect(find(gone)).rejects.toMatchObject(refused('not_found'))
  })

  it('is one process’ work at a time, and another’s once that one has died', async () => {
    const { services } = world.platform
    const gone = await withFiles(3)
    const held = Promise.withResolvers<void>()
    const remove = vi.spyOn(services.storage, 'delete').mockImplementation(() => held.promise)
    const stopping = new AbortController()
    const first = purgeDueTenants(services, stopping.signal)
    try {
      await eventually(() => remove.mock.calls.length > 0, 'a file is being deleted')
      const { length } = remove.mock.calls
      await purgeDueTenants(services)
      expect(remove.mock.calls).toHaveLength(length)
      expect(await find(gone)).toHaveProperty('deletionDate')
    } finally {
      stopping.abort()
      held.resolve()
      await first
      remove.mockRestore()
    }
    // As a process leaves it that is killed in the middle.
    const claimed = (seconds: number) =>
      world.sql`update platform.tenant set purged_by = gen_random_uuid(), purged_until = now() + make_interval(secs => ${seconds}) where tenant_id = ${gone.tenantId}`
    await claimed(60)
    await purgeDueTenants(services)
    expect(await find(gone)).toHaveProperty('deletionDate')
    await claimed(-1)
    await purgeDueTenants(services)
    await expect(find(gone)).rejects.toMatchObject(refused('not_found'))
  })
})
