/** Waiting for jobs: woken in milliseconds, by itself where the wake-up was lost, and with no connection held meanwhile. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { finishJob, jobTopic, queueJob, readJobForRun, type RunningJob } from '#tools/jobs/service.ts'

import { type Waiters, watchWaiters } from './support/waiters.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

function transact<T>(work: (context: TxContext) => Promise<T>): Promise<T> {
  return inSystemTransaction(world.platform.services, world.tenant.tenantId, work)
}

async function startJob(): Promise<number> {
  const { jobId } = await transact((context) =>
    queueJob(context, { kind: 'test', operation: 'import_something', requiredRoles: 'DataImport', input: {} }),
  )
  return jobId
}

async function run(jobId: number, attempt = 1): Promise<RunningJob> {
  const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt })
  if (!job) throw new Error('The job has nothing left to do')
  return job
}

describe('awaiting', () => {
  let waiters: Waiters
  beforeEach(() => {
    waiters = watchWaiters(world)
  })
  afterEach(() => waiters.end())

  /** Resolves once the job is awaited, by this many or this often. */
  const awaited = (jobId: number, waits = 1) => waiters.reached(jobTopic(jobId), waits)

  it('wakes when the job ends and not at the next look, without a connection meanwhile', async () => {
    const { services } = world.platform
    const delays: number[] = []
    for (let n = 0; n < 20; n++) {
      const jobId = await startJob()
      const job = await run(jobId)
      const awaiting = call('await_job', { jobId, timeoutSeconds: 30 }).then((answer) => ({ answer, at: performance.now() }))
      await awaited(jobId)
      await expect.poll(() => services.databases.app.stats()).toMatchObject({ busy: 0 })
      await transact((context) => finishJob(context, job, { result: { n } }))
      const committed = performance.now()
      const { answer, at } = await awaiting
      expect(answer).toMatchObject({ state: 'succeeded', result: { n } })
      delays.push(at - committed)
    }
    // Whoever is not woken looks after fifteen seconds.
    expect(delays.toSorted((a, b) => a - b)[10]).toBeLessThan(10_000)
  })

  it('answers the job as it stands when the time is up, and refuses more than 55 seconds', async () => {
    const jobId = await startJob()
    const before = performance.now()
    expect(await call('await_job', { jobId, timeoutSeconds: 0.3 })).toMatchObject({ state: 'queued' })
    expect(performance.now() - before).toBeGreaterThan(290)
    expect((await call('await_job', { jobId, timeoutSeconds: 0.3 })).progress).toEqual({ done: 0 })
    // Nothing carries jobs out here, as while Temporal is built on a first start.
    expect((await call('await_job', { jobId, timeoutSeconds: 2.1 })).progress.note).toContain('starts by itself')
    await expect(call('await_job', { jobId, timeoutSeconds: 56 })).rejects.toMatchObject(refused('invalid_input'))
  })

  it('looks by itself where the wake-up was lost', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const awaiting = call('await_job', { jobId, timeoutSeconds: 55 })
      const hasWaited = () => waiters.waits(jobTopic(jobId)) > 0
      while (!hasWaited()) await new Promise((resolve) => setImmediate(resolve))
      // As the commit of a process whose line to this one is cut.
      await world.sql`update platform.job set state = 'succeeded', finished_date = now() where job_id = ${job.jobId}`
      await vi.advanceTimersByTimeAsync(15_000)
      expect(await awaiting).toMatchObject({ state: 'succeeded' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends when the caller goes away', async () => {
    const jobId = await startJob()
    const caller = new AbortController()
    const awaiting = call('await_job', { jobId, timeoutSeconds: 55 }, { signal: caller.signal })
    await awaited(jobId)
    caller.abort()
    expect(await awaiting).toMatchObject({ state: 'queued' })
  })

  it('serves a hundred waiters with six connections', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    const waiting = Array.from({ length: 100 }, () => call('await_job', { jobId, timeoutSeconds: 30 }))
    await awaited(jobId, 100)
    await expect.poll(() => world.platform.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
    await transact((context) => finishJob(context, job))
    const answers = await Promise.all(waiting)
    expect(answers).toHaveLength(100)
    expect(answers.every((answer) => answer.state === 'succeeded')).toBe(true)
  })

  it('ends at once when the key is revoked, as a revoked key ends every other call', async () => {
    const jobId = await startJob()
    const agent = await call('create_api_key', { name: 'waits', roles: ['DataImport'] })
    const awaiting = call('await_job', { jobId, timeoutSeconds: 50 }, { key: agent.apiKey }).catch((thrown: unknown) => thrown)
    await awaited(jobId)
    const revoked = performance.now()
    await call('revoke_api_key', { apiKeyId: agent.apiKeyId })
    expect(await awaiting).toMatchObject(refused('unauthenticated', /while the call was waiting/))
    expect(performance.now() - revoked).toBeLessThan(12_000)
  })

  it('shows a job no longer to whoever lost the roles that could have started it', async () => {
    const jobId = await startJob()
    const agent = await call('create_api_key', { name: 'waits', roles: ['DataImport', 'DataView'] })
    const awaiting = call('await_job', { jobId, timeoutSeconds: 50 }, { key: agent.apiKey }).catch((thrown: unknown) => thrown)
    await awaited(jobId)
    await call('update_api_key', { apiKeyId: agent.apiKeyId, roles: ['DataView'] })
    expect(await awaiting).toMatchObject(refused('not_found'))
  })

  it('shows a job about a record no longer to whoever lost the role by which they saw the record', async () => {
    const { entityId } = await call('create_entity', { internalName: 'Order' })
    const { eiRecordId } = await call('save_instance', { entity: 'Order', key1: 'O-1', data: {} })
    await call('set_entity_access', { entity: 'Order', rules: [{ role: 'DataView', read: true }] })
    const request = { kind: 'test', operation: 'import_something', requiredRoles: 'DataImport' as const, input: {} }
    const { jobId } = await transact((context) =>
      queueJob(context, { ...request, about: { entityId, eiRecordId, entityPropertyId: null } }),
    )
    const agent = await call('create_api_key', { name: 'sees', roles: ['DataImport', 'DataView'] })
    const awaiting = call('await_job', { jobId, timeoutSeconds: 10 }, { key: agent.apiKey }).catch((thrown: unknown) => thrown)
    await awaited(jobId)
    await call('update_api_key', { apiKeyId: agent.apiKeyId, roles: ['DataImport'] })
    expect(await awaiting).toMatchObject(refused('not_found'))
  })

  it('goes on waiting when somebody else loses a key', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    const other = await call('create_api_key', { name: 'other', roles: [] })
    const awaiting = call('await_job', { jobId, timeoutSeconds: 50 })
    await awaited(jobId)
    await call('revoke_api_key', { apiKeyId: other.apiKeyId })
    await awaited(jobId, 2)
    await transact((context) => finishJob(context, job, { result: {} }))
    expect(await awaiting).toMatchObject({ state: 'succeeded' })
  })
})
