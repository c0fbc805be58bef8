import { expect, it } from 'vitest'

import { outboxBacklog } from '#platform/outbox.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

const backlog = () => world.platform.services.databases.lookUp(outboxBacklog)

it('tells how many events wait and for how long, and how many were given up, over all tenants', async () => {
  await world.sql`update platform.outbox set sent_at = now() where sent_at is null`
  expect(await backlog()).toEqual({ waiting: 0, oldestSeconds: 0, givenUp: 0 })
  for (const text of ['One', 'Two']) {
    const { conversationId } = await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text })
    await world.call('end_conversation', { conversationId })
  }
  const { waiting } = await backlog()
  expect(waiting).toBeGreaterThan(0)
  await world.sql`update platform.outbox set created_at = now() - interval '90 seconds' where outbox_id = (select max(outbox_id) from platform.outbox)`
  expect((await backlog()).oldestSeconds).toBeCloseTo(90, -1)
  await world.sql`update platform.outbox set dead_at = now() where outbox_id = (select max(outbox_id) from platform.outbox)`
  expect(await backlog()).toMatchObject({ waiting: waiting - 1, givenUp: 1 })
  // The clock of the database was set back since: an age below nothing is none.
  await world.sql`update platform.outbox set created_at = now() + interval '1 hour'`
  expect((await backlog()).oldestSeconds).toBe(0)
})
