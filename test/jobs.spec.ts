/** Jobs as their callers see them, and as a runner commits them. The workflow that carries them is tested in workflows/job.spec.ts. */
import { describe, expect, it } from 'vitest'

import type { TxContext } from '#platform/operation.ts'
import type { RoleExpression, RoleName } from '#platform/roles.ts'
import { jobWorkflowId } from '#platform/shapes/jobs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import {
  advanceJob,
  failJob,
  finishJob,
  isCancelRequested,
  JobStopped,
  queueJob,
  readJobForRun,
  type RunningJob,
} from '#tools/jobs/service.ts'

import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

function transact<T>(work: (context: TxContext) => Promise<T>, tenant: TestTenant = world.tenant): Promise<T> {
  return inSystemTransaction(world.platform.services, tenant.tenantId, work)
}

/** A job that a user of the tenant started: as an operation would, in its transaction. */
async function startJob(options: { by?: number; roles?: RoleExpression; tenant?: TestTenant; total?: number } = {}): Promise<number> {
  const { by = 0, roles = 'DataImport', tenant = world.tenant, total } = options
  const { jobId } = await transact(
    (context) =>
      queueJob(
        { ...context, actor: { ...context.actor, tenantUserId: by } },
        {
          kind: 'test',
          operation: 'import_something',
          requiredRoles: roles,
          input: { file: 'x' },
          ...(total === undefined ? {} : { total }),
        },
      ),
    tenant,
  )
  return jobId
}

async function run(jobId: number, attempt = 1): Promise<RunningJob> {
  const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt })
  if (!job) throw new Error('The job has nothing left to do')
  return job
}

async function withUser(roles: readonly RoleName[]): Promise<{ key: string; tenantUserId: number }> {
  const { tenantUserId, apiKey } = await call('create_api_key', { name: 'a caller', roles })
  return { key: apiKey, tenantUserId }
}

describe('the life of a job', () => {
  it('is queued with its event in one transaction, runs in chunks, and ends with its result', async () => {
    const jobId = await startJob({ total: 30 })
    const queued = await call('get_job', { jobId })
    expect(queued).toEqual({
      jobId,
      kind: 'test',
      state: 'queued',
      progress: { done: 0, total: 30 },
      createdDate: expect.stringMatching(/Z$/),
    })
    const errands = await world.sql`select lane, errand from platform.outbox where subject = ${`job:${jobId}`}`
    const attempt = { tenantId: world.tenant.tenantId, jobId, attempt: 1 }
    expect(errands).toEqual([
      { lane: 'bulk', errand: { kind: 'start', workflow: 'job', workflowId: jobWorkflowId(attempt), args: [attempt] } },
    ])
    const first = await run(jobId)
    expect(first).toMatchObject({ input: { file: 'x' }, position: null, done: 0, total: 30, chunkNo: 0, operation: 'import_something' })
    expect(await call('get_job', { jobId })).toMatchObject({ state: 'running', startedDate: expect.any(String) })
    const log = [{ level: 'error', message: 'Row 3: "n/a" is no number\u0000' }] as const
    await transact((context) => advanceJob(context, first, { done: 10, position: { row: 10 }, note: 'reading', log }))
    expect(await call('get_job', { jobId })).toMatchObject({ state: 'running', progress: { done: 10, total: 30, note: 'reading' } })
    const second = await run(jobId)
    expect(second).toMatchObject({ position: { row: 10 }, done: 10, chunkNo: 1 })
    await transact((context) =>
      finishJob(context, second, { done: 30, state: 'partly', result: { failed: 1 }, log: [{ level: 'info', message: 'Done' }] }),
    )
    expect(await call('get_job', { jobId })).toMatchObject({
      state: 'partly',
      progress: { done: 30, total: 30 },
      result: { failed: 1 },
      finishedDate: expect.any(String),
    })
    expect(await call('get_job_log', { jobId })).toEqual([
      { line: 1, at: expect.any(String), attempt: 1, level: 'error', message: 'Row 3: "n/a" is no number ' },
      { line: 2, at: expect.any(String), attempt: 1, level: 'info', message: 'Done' },
    ])
    expect(await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })).toBeUndefined()
  })

  it('leaves nothing of a chunk whose transaction failed: neither rows nor position', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    const failing = transact(async (context) => {
      await advanceJob(context, job, { done: 5, position: 5, log: [{ level: 'info', message: 'never' }] })
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await run(jobId)).toEqual(job)
    expect(await call('get_job_log', { jobId })).toEqual([])
  })

  it('commits a chunk once, however many run it at once', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) =>
        transact((context) => advanceJob(context, job, { done: 1, log: [{ level: 'info', message: `run ${n}` }] })),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome.status === 'rejected').every((outcome) => outcome.reason instanceof JobStopped)).toBe(true)
    expect(await call('get_job_log', { jobId })).toHaveLength(1)
    expect((await run(jobId)).chunkNo).toBe(1)
  })

  it('lets one transaction advance and finish, when it passes on what the first answered', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    await transact(async (context) => finishJob(context, await advanceJob(context, job, { done: 2 }), { result: { ok: true } }))
    expect(await call('get_job', { jobId })).toMatchObject({ state: 'succeeded', progress: { done: 2 }, result: { ok: true } })
  })

  it('keeps the first five thousand lines of a log', async () => {
    const jobId = await startJob()
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ level: 'error' as const, message: `line ${n}`.padEnd(n === 0 ? 1500 : 1) }))
    let job = await run(jobId)
    job = await transact((context) => advanceJob(context, job, { log: lines(4_999) }))
    job = await transact((context) => advanceJob(context, job, { log: lines(10) }))
    await transact((context) => advanceJob(context, job, { log: lines(10) }))
    const page = (await world.run('get_job_log', { jobId, pageSize: 1000 })) as {
      items: { message: string }[]
      nextCursor: string
      totalCount: number
    }
    expect(page).toMatchObject({ totalCount: 5_000, nextCursor: expect.any(String) })
    expect(page.items[0]?.message).toHaveLength(1_001)
    expect(await call('get_job_log', { jobId, cursor: page.nextCursor, pageSize: 1 })).toMatchObject([{ line: 1_001 }])
    expect(await call('get_job_log', { jobId, page: 5, pageSize: 1000 })).toHaveLength(1_000)
    expect(await call('get_job_log', { jobId, page: 6, pageSize: 1000 })).toEqual([])
  })
})

describe('cancel and retry', () => {
  it('cancels at once, refuses the chunk under way its commit, and goes on from the last committed one', async () => {
    const jobId = await startJob()
    const first = await run(jobId)
    const second = await transact((context) => advanceJob(context, first, { done: 7, position: { row: 7 } }))
    expect(await transact((context) => isCancelRequested(context, second))).toBe(false)
    expect(await call('cancel_job', { jobId })).toMatchObject({
      state: 'cancelled',
      progress: { done: 7 },
      finishedDate: expect.any(String),
    })
    expect(await transact((context) => isCancelRequested(context, second))).toBe(true)
    await expect(transact((context) => advanceJob(context, second, { done: 9 }))).rejects.toThrow(JobStopped)
    await expect(transact((context) => finishJob(context, second))).rejects.toThrow(JobStopped)
    expect(await call('cancel_job', { jobId })).toMatchObject({ state: 'cancelled' })
    expect(await call('get_job_log', { jobId })).toMatchObject([{ level: 'warning', message: 'Cancelled by admin' }])
    const retried = await call('retry_job', { jobId })
    expect(retried).toMatchObject({ state: 'queued', progress: { done: 7 } })
    expect(retried).not.toHaveProperty('finishedDate')
    const errands =
      await world.sql`select errand -> 'args' as args from platform.outbox where subject = ${`job:${jobId}`} order by outbox_id`
    expect(errands.map((row) => row['args'])).toMatchObject([[{ jobId, attempt: 1 }], [{ jobId, attempt: 2 }]])
    const next = await run(jobId, 2)
    expect(next).toMatchObject({ attempt: 2, position: { row: 7 }, done: 7 })
    // The first attempt is over, whatever still runs of it.
    await expect(transact((context) => advanceJob(context, second, { done: 8 }))).rejects.toThrow(JobStopped)
    expect(await transact((context) => failJob(context, second, { code: 'internal', message: 'late' }))).toBe(false)
    await transact((context) => finishJob(context, next, { done: 10 }))
    expect(await call('get_job', { jobId })).toMatchObject({ state: 'succeeded', progress: { done: 10 } })
  })

  it('shows why a job failed, and forgets it with the next attempt', async () => {
    const jobId = await startJob()
    const job = await run(jobId)
    const issues = [{ path: '$.file', severity: 'error', message: 'It is no CSV.' }] as const
    expect(await transact((context) => failJob(context, job, { code: 'unprocessable', message: 'The file cannot be read.', issues }))).toBe(
      true,
    )
    expect(await call('get_job', { jobId })).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: 'The file cannot be read.', issues },
    })
    expect(await call('retry_job', { jobId })).not.toHaveProperty('error')
  })

  it.each([
    ['cancel', 'succeeded', /done already/],
    ['cancel', 'failed', /failed already/],
    ['retry', 'succeeded', /new one/],
    ['retry', 'queued', /Await it/],
    ['retry', 'running', /Await it/],
  ])('answers 409 to a %s of a job that is %s', async (verb, state, message) => {
    const jobId = await startJob()
    if (state !== 'queued') {
      const job = await run(jobId)
      if (state === 'succeeded') await transact((context) => finishJob(context, job))
      if (state === 'failed') await transact((context) => failJob(context, job, { code: 'internal', message: 'no' }))
    }
    await expect(call(`${verb}_job`, { jobId })).rejects.toMatchObject(refused('conflict', message))
    expect(await call('get_job', { jobId })).toMatchObject({ state })
  })

  it('does not start twice for one idempotency key', async () => {
    const jobId = await startJob()
    await call('cancel_job', { jobId })
    const idempotencyKey = 'retry-once'
    const answers = [await call('retry_job', { jobId }, { idempotencyKey }), await call('retry_job', { jobId }, { idempotencyKey })]
    expect(answers[1]).toEqual(answers[0])
    expect((await run(jobId, 2)).attempt).toBe(2)
  })
})

describe('who sees a job', () => {
  it('shows it to its starter, and to others with the roles that could have started it', async () => {
    const starter = await withUser(['DataView'])
    const peer = await withUser(['DataView', 'DataImport'])
    const stranger = await withUser(['DataView', 'DataEdit'])
    const jobId = await startJob({ by: starter.tenantUserId, roles: 'DataImport' })
    for (const { key } of [starter, peer]) {
      expect(await call('get_job', { jobId }, { key })).toMatchObject({ jobId })
      expect((await call('list_jobs', {}, { key })).map((job: { jobId: number }) => job.jobId)).toContain(jobId)
      expect(await call('get_job_log', { jobId }, { key })).toEqual([])
      expect(await call('await_job', { jobId, timeoutSeconds: 0 }, { key })).toMatchObject({ state: 'queued' })
    }
    for (const name of ['get_job', 'await_job', 'cancel_job', 'retry_job', 'get_job_log']) {
      await expect(call(name, { jobId }, { key: stranger.key }), name).rejects.toMatchObject(refused('not_found', /^No such job\.$/))
    }
    expect((await call('list_jobs', {}, { key: stranger.key })).map((job: { jobId: number }) => job.jobId)).not.toContain(jobId)
    // The starter may stop it, but no longer have its work done: the role is gone.
    expect(await call('cancel_job', { jobId }, { key: starter.key })).toMatchObject({ state: 'cancelled' })
    await expect(call('retry_job', { jobId }, { key: starter.key })).rejects.toMatchObject(refused('forbidden', /import_something/))
    expect(await call('retry_job', { jobId }, { key: peer.key })).toMatchObject({ state: 'queued' })
  })

  it('asks for every role of an "and", one of an "or", and none of "any"', async () => {
    const [one, both, none] = [await withUser(['DataView']), await withUser(['DataView', 'DataEdit']), await withUser([])]
    const sees = async (roles: RoleExpression) => {
      const jobId = await startJob({ roles })
      return Promise.all(
        [one, both, none].map(({ key }) =>
          call('get_job', { jobId }, { key }).then(
            () => true,
            () => false,
          ),
        ),
      )
    }
    expect(await sees('DataView&DataEdit')).toEqual([false, true, false])
    expect(await sees('DataView|BuilderAdmin')).toEqual([true, true, false])
    expect(await sees('any')).toEqual([true, true, true])
    expect(await sees('Public')).toEqual([false, false, false])
  })

  it("answers another tenant's job as if there were none", async () => {
    const other = await world.newTenant()
    const jobId = await startJob({ tenant: other, roles: 'any' })
    for (const id of [jobId, 2 ** 45])
      await expect(call('get_job', { jobId: id })).rejects.toMatchObject(refused('not_found', /^No such job\.$/))
    expect(await call('get_job', { jobId }, { key: other.key })).toMatchObject({ jobId })
  })

  it('lists the newest first, by state and kind, in pages', async () => {
    const { key } = await world.newTenant()
    const tenant = await world.newTenant()
    const ids: number[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await startJob({ tenant }))
    await call('cancel_job', { jobId: ids[2] }, { key: tenant.key })
    const list = async (input: object) => (await call('list_jobs', input, { key: tenant.key })).map((job: { jobId: number }) => job.jobId)
    expect(await list({})).toEqual(ids)
    expect(await list({ states: ['cancelled', 'failed'] })).toEqual([ids[2]])
    expect(await list({ kind: 'other' })).toEqual([])
    const first = (await world.run('list_jobs', { pageSize: 2 }, { key: tenant.key })) as { nextCursor: string; totalCount: number }
    expect(first).toMatchObject({ totalCount: 5 })
    expect(await list({ pageSize: 2, cursor: first.nextCursor })).toEqual(ids.slice(2, 4))
    expect(await list({ pageSize: 2, page: 3 })).toEqual(ids.slice(4))
    expect(await call('list_jobs', {}, { key })).toEqual([])
  })
})
