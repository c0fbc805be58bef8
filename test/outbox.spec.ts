import { afterAll, beforeAll, expect, it } from 'vitest'

import { outboxBacklog } from '#platform/outbox.ts'
import type { Errand, WorkflowArguments } from '#platform/shapes/errands.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type * as workflows from '#workflows/index.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world } = opened)
})
afterAll(() => opened?.close())

const backlog = () => world.platform.services.databases.lookUp(outboxBacklog)

it('tells for each lane how many errands wait and for how long, and how many were given up, over all tenants', async () => {
  await world.sql`update platform.outbox set sent_at = now() where sent_at is null`
  const none = { waiting: 0, oldestSeconds: 0 }
  expect(await backlog()).toEqual({ lanes: { people: none, triggers: none, bulk: none }, givenUp: 0 })
  for (const text of ['One', 'Two']) {
    const { conversationId } = await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text })
    await world.call('end_conversation', { conversationId })
  }
  const { people, bulk } = (await backlog()).lanes
  expect(people.waiting).toBe(2)
  expect(bulk).toEqual(none)
  // What was put off waits too.
  await world.sql`
    update platform.outbox set created_at = now() - interval '90 seconds', next_at = now() + interval '1 minute'
    where outbox_id = (select max(outbox_id) from platform.outbox)`
  expect((await backlog()).lanes.people).toEqual({ waiting: 2, oldestSeconds: expect.closeTo(90, -1) })
  await world.sql`update platform.outbox set dead_at = now() where outbox_id = (select max(outbox_id) from platform.outbox)`
  expect(await backlog()).toMatchObject({ lanes: { people: { waiting: 1 } }, givenUp: 1 })
  // The clock of the database was set back since: an age below nothing is none.
  await world.sql`update platform.outbox set created_at = now() + interval '1 hour'`
  expect((await backlog()).lanes.people.oldestSeconds).toBe(0)
})

/** What only the compiler can compare: each workflow takes what an errand gives it. */
type Carried = { [W in keyof WorkflowArguments]: (...given: WorkflowArguments[W]) => Promise<void> }

it('starts workflows that there are, with what they take', () => {
  const fits: typeof workflows extends Carried ? true : never = true
  expect(fits).toBe(true)
})

it('writes many errands in their order and in few statements, with what they say themselves', async () => {
  const statements: string[] = []
  const platform = await opened.open({}, { onStatement: (text) => void statements.push(text) })
  const { tenantId } = world.tenant
  const errandOf = (jobId: number): Errand => ({ kind: 'start', lane: 'bulk', workflow: 'job', args: [{ tenantId, jobId, attempt: 1 }] })
  const errands = Array.from({ length: 1_500 }, (_, index) => errandOf(index))
  await inSystemTransaction(platform.services, tenantId, ({ emitMany }) => emitMany(errands))
  await inSystemTransaction(platform.services, tenantId, ({ emitMany }) => emitMany([]))
  expect(statements.filter((text) => text.includes('insert into platform.outbox'))).toHaveLength(2)
  const rows = await world.sql`
    select lane, subject, errand from platform.outbox where tenant_id = ${tenantId} and sent_at is null order by outbox_id desc limit 1500`
  expect(rows.toReversed()).toEqual(errands.map(({ lane, ...errand }) => ({ lane, subject: null, errand })))
})
