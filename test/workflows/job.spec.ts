/** Jobs carried out on a real Temporal: to their end, again after a failure, and not at all after a cancellation; each row exactly once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createJobActivities } from '#activities/jobs.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import { jobWorkflowId } from '#platform/shapes/jobs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { advanceJob, finishJob, type JobRunner, queueJob, type RunningJob } from '#tools/jobs/service.ts'

import { endOf } from '../support/ended.ts'
import { keepHistory, replayHistories } from '../support/histories.ts'
import { patience } from '../support/patience.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from '../support/temporal.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay

const chunkRows = 10

/** Steps that a test wants to fail or to hold, by job: called before each chunk with the number of its try. */
const beforeChunk = new Map<number, (job: RunningJob, tries: number) => Promise<void> | void>()
const tries = new Map<string, number>()

/** Writes `rows` rows in chunks of ten, each with what commits it. */
const counting: JobRunner = {
  async step(services, job) {
    const { rows } = job.input as { rows: number }
    const from = (job.position as { row: number } | null)?.row ?? 0
    const to = Math.min(rows, from + chunkRows)
    const chunk = `${job.jobId} ${job.chunkNo}`
    tries.set(chunk, (tries.get(chunk) ?? 0) + 1)
    await beforeChunk.get(job.jobId)?.(job, tries.get(chunk) ?? 0)
    await inSystemTransaction(services, job.tenantId, async (context) => {
      await context.tx`
        insert into platform.test_effect (tenant_id, job_id, row_no)
        select ${job.tenantId}, ${job.jobId}, n from generate_series(${from + 1}::int, ${to}::int) n`
      if (to < rows) await advanceJob(context, job, { done: to, position: { row: to }, note: `row ${to}` })
      else await finishJob(context, job, { done: to, result: { rows } })
    })
    return to < rows ? 'more' : 'done'
  },
  describeError: (error) => (error instanceof RangeError ? 'The counter ran over.' : undefined),
}

function startJobRelay(): Relay {
  const { services } = world.platform
  return startRelay(services, (errand) => carryOut(services, errand))
}

function startWorker(): Promise<TestWorker> {
  const real = createJobActivities({ services: world.platform.services, runners: { counting }, retryDelayMs: 5 })
  let asked = 0
  return startTestWorker(temporal, {
    sync: {
      ...real,
      // The tenant 0 is nobody: a job of many steps that do nothing.
      runJobStep: (attempt: Parameters<typeof real.runJobStep>[0]) =>
        attempt.tenantId === 0 ? (++asked < 40 ? 'more' : 'finished') : real.runJobStep(attempt),
    },
  })
}

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  await world.sql.unsafe(`
    create table platform.test_effect (tenant_id int not null, job_id bigint not null, row_no int not null);
    call platform.protect('platform.test_effect')`)
  world.platform.services.temporal.connectTo(temporal.address)
  worker = await startWorker()
  relay = startJobRelay()
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

async function start(rows: number, before?: (job: RunningJob, tries: number) => Promise<void> | void, kind = 'counting'): Promise<number> {
  return inSystemTransaction(world.platform.services, world.tenant.tenantId, async (context) => {
    const { jobId } = await queueJob(context, { kind, operation: 'count_rows', requiredRoles: 'DataImport', input: { rows }, total: rows })
    // Before the commit, so that the first chunk finds it.
    if (before) beforeChunk.set(jobId, before)
    return jobId
  })
}

const ended = (jobId: number) => endOf(world, jobId)

/** Every row once, none twice: how many there are and how many differ. */
async function effects(jobId: number): Promise<{ rows: number; distinct: number }> {
  const [row] = await world.sql<{ rows: number; distinct: number }[]>`
    select count(*)::int as rows, count(distinct row_no)::int as distinct from platform.test_effect where job_id = ${jobId}`
  return { rows: row?.rows ?? 0, distinct: row?.distinct ?? 0 }
}

function idOf(jobId: number, attempt = 1): string {
  return jobWorkflowId({ tenantId: world.tenant.tenantId, jobId, attempt })
}

const workflowEnded = (jobId: number, attempt = 1) => worker.client.workflow.getHandle(idOf(jobId, attempt)).result()

function gate(): { readonly reached: Promise<void>; reach(): void; readonly opened: Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return { reached: reached.promise, reach: reached.resolve, opened: opened.promise, open: opened.resolve }
}

describe('a job', () => {
  it('runs from its commit to its end, each row once', async () => {
    const jobId = await start(25)
    expect(await ended(jobId)).toMatchObject({
      state: 'succeeded',
      progress: { done: 25, total: 25, note: 'row 20' },
      result: { rows: 25 },
    })
    expect(await effects(jobId)).toEqual({ rows: 25, distinct: 25 })
    await workflowEnded(jobId)
    await keepHistory(worker.client, idOf(jobId), 'job-done')
  })

  it('stops between two chunks while its tenant is suspended, and goes on once that is over, each row once', async () => {
    const { tenantId } = world.tenant
    const suspend = (isDeactivated: boolean) =>
      world.sql`update platform.tenant set is_deactivated = ${isDeactivated} where tenant_id = ${tenantId}`
    const looks = vi.spyOn(world.platform.services.databases, 'lookUp')
    const jobId = await start(30, async (job) => {
      if (job.chunkNo !== 1) return
      await suspend(true)
      world.platform.services.wake.poke(credentialsTopic)
    })
    try {
      await expect.poll(() => effects(jobId), patience).toEqual({ rows: 20, distinct: 20 })
      // However often it looks: nothing more is done.
      const before = looks.mock.calls.length
      await expect.poll(() => looks.mock.calls.length, patience).toBeGreaterThan(before + 10)
      expect(await effects(jobId)).toEqual({ rows: 20, distinct: 20 })
    } finally {
      looks.mockRestore()
      await suspend(false)
      world.platform.services.wake.poke(credentialsTopic)
    }
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded', progress: { done: 30 } })
    expect(await effects(jobId)).toEqual({ rows: 30, distinct: 30 })
    expect(tries.get(`${jobId} 2`)).toBe(1)
    await workflowEnded(jobId)
    await keepHistory(worker.client, idOf(jobId), 'job-paused')
  })

  it('tries a step again that failed, and does no chunk twice', async () => {
    const jobId = await start(30, (job, count) => {
      if (job.chunkNo === 1 && count < 3) throw new Error('the network')
    })
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded', progress: { done: 30 } })
    expect(await effects(jobId)).toEqual({ rows: 30, distinct: 30 })
    expect(tries.get(`${jobId} 1`)).toBe(3)
    await workflowEnded(jobId)
    await keepHistory(worker.client, idOf(jobId), 'job-retried')
  })

  it('fails after ten tries of one step, says why, and goes on from there when it is retried', async () => {
    let isBroken = true
    const jobId = await start(30, (job) => {
      if (isBroken && job.chunkNo === 1) throw new RangeError('overflow at 0x7f')
    })
    expect(await ended(jobId)).toMatchObject({
      state: 'failed',
      progress: { done: 10 },
      error: { code: 'internal', message: 'The counter ran over. It was tried 10 times.' },
    })
    expect(tries.get(`${jobId} 1`)).toBe(10)
    await workflowEnded(jobId)
    await keepHistory(worker.client, idOf(jobId), 'job-failed')
    isBroken = false
    await world.call('retry_job', { jobId })
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded', progress: { done: 30 } })
    expect(await effects(jobId)).toEqual({ rows: 30, distinct: 30 })
    await workflowEnded(jobId, 2)
  })

  it('fails at once where no retry can help, with the sentence and its issues', async () => {
    const issues = [{ path: '$.file', severity: 'error' as const, message: 'It is no CSV.' }]
    const jobId = await start(30, () => {
      throw new AppError('unprocessable', 'The file cannot be read.', { issues })
    })
    expect(await ended(jobId)).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: 'The file cannot be read.', issues },
    })
    expect(tries.get(`${jobId} 0`)).toBe(1)
    expect(await world.call('get_job_log', { jobId })).toMatchObject([{ level: 'error', message: 'The file cannot be read.' }])
  })

  it('tries again what is only away', async () => {
    const jobId = await start(5, (_job, count) => {
      if (count < 4) throw new AppError('unavailable', 'The store is away.')
    })
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
    expect(tries.get(`${jobId} 0`)).toBe(4)
  })

  it('fails with a clear sentence where nothing carries out its kind', async () => {
    for (const kind of ['unheardOf', 'constructor']) {
      expect(await ended(await start(1, undefined, kind))).toMatchObject({
        state: 'failed',
        error: { message: expect.stringMatching(new RegExp(`jobs of the kind ${kind}`)) },
      })
    }
  })
})

describe('cancelling', () => {
  it('stops it at once and refuses the chunk under way its commit', async () => {
    const { reached, reach, opened, open } = gate()
    const jobId = await start(30, async (job) => {
      if (job.chunkNo !== 1) return
      reach()
      await opened
    })
    await reached
    expect(await world.call('cancel_job', { jobId })).toMatchObject({ state: 'cancelled', progress: { done: 10 } })
    open()
    await workflowEnded(jobId)
    expect(await effects(jobId)).toEqual({ rows: 10, distinct: 10 })
    expect(await world.call('get_job', { jobId })).toMatchObject({ state: 'cancelled', progress: { done: 10 } })
    await world.call('retry_job', { jobId })
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
    expect(await effects(jobId)).toEqual({ rows: 30, distinct: 30 })
  })

  it('ends a job that waits for its next try, and one whose workflow an operator cancels', async () => {
    const jobId = await start(30, async (job) => {
      if (job.chunkNo === 1) await worker.client.workflow.getHandle(idOf(jobId)).cancel()
      if (job.chunkNo === 1) throw new Error('the network')
    })
    expect(await ended(jobId)).toMatchObject({ state: 'cancelled', progress: { done: 10 } })
    await workflowEnded(jobId)
    expect(await effects(jobId)).toEqual({ rows: 10, distinct: 10 })
    expect(await world.call('get_job_log', { jobId })).toMatchObject([{ message: 'Cancelled by an operator' }])
    await keepHistory(worker.client, idOf(jobId), 'job-cancelled')
  })

  it('ends a job whose step fails of itself while an operator cancels its workflow', async () => {
    const jobId = await start(30, async (job) => {
      if (job.chunkNo !== 1) return
      const handle = worker.client.workflow.getHandle(idOf(jobId))
      await handle.cancel()
      const isAsked = async () => (await handle.fetchHistory()).events?.some((one) => one.activityTaskCancelRequestedEventAttributes)
      await vi.waitUntil(isAsked, patience)
      throw new Error('the network')
    })
    expect(await ended(jobId)).toMatchObject({ state: 'cancelled', progress: { done: 10 } })
    expect(await effects(jobId)).toEqual({ rows: 10, distinct: 10 })
  })

  it('never begins a job that was cancelled before it started', async () => {
    await relay.stop()
    const jobId = await start(30)
    await world.call('cancel_job', { jobId })
    relay = startJobRelay()
    await expect
      .poll(() =>
        workflowEnded(jobId).then(
          () => 'ended',
          () => 'not yet',
        ),
      )
      .toBe('ended')
    expect(await effects(jobId)).toEqual({ rows: 0, distinct: 0 })
    expect(await world.call('get_job', { jobId })).not.toHaveProperty('startedDate')
  })
})

describe('faults', () => {
  it('starts once, however often its event is carried out', async () => {
    const jobId = await start(5)
    await ended(jobId)
    await workflowEnded(jobId)
    const attempt = { tenantId: world.tenant.tenantId, jobId, attempt: 1 }
    const again = { workflow: 'job', workflowId: jobWorkflowId(attempt), args: [attempt], tenantId: attempt.tenantId }
    expect(await world.platform.services.temporal.start(again)).toBe('already')
    expect(await effects(jobId)).toEqual({ rows: 5, distinct: 5 })
  })

  it('is refused for good, and not waited for, where Temporal can never take it', async () => {
    const tooLong = { workflow: 'job', workflowId: 'x'.repeat(5_000), args: [], tenantId: world.tenant.tenantId }
    await expect(world.platform.services.temporal.start(tooLong)).rejects.toMatchObject({ code: 'internal' })
  })

  it('goes on with another worker when one goes away in the middle of a chunk', async () => {
    const { reached, reach, opened, open } = gate()
    const jobId = await start(40, async (job, count) => {
      if (job.chunkNo !== 2 || count > 1) return
      reach()
      await opened
    })
    await reached
    const leaving = worker.stop()
    worker = await startWorker()
    open()
    await leaving
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded', progress: { done: 40 } })
    expect(await effects(jobId)).toEqual({ rows: 40, distinct: 40 })
  })

  it('goes on as a new run before its history grows too long', async () => {
    // Temporal asks for it at four megabytes; arguments of this size are there in some twenty steps.
    const attempt = { tenantId: 0, jobId: 1, attempt: 1, padding: 'x'.repeat(200_000) }
    const handle = await worker.client.workflow.start('job', { taskQueue: 'wf', workflowId: 'job:0:1:1', args: [attempt] })
    await handle.result()
    const first = await worker.client.workflow.getHandle('job:0:1:1', handle.firstExecutionRunId).describe()
    expect(first.status.name).toBe('CONTINUED_AS_NEW')
    expect((await worker.client.workflow.getHandle('job:0:1:1').describe()).status.name).toBe('COMPLETED')
  })
})

it('replays the histories that were kept', async () => {
  expect(await replayHistories('job-')).toEqual({
    'job-cancelled': 'replayed',
    'job-done': 'replayed',
    'job-failed': 'replayed',
    'job-paused': 'replayed',
    'job-retried': 'replayed',
  })
})
