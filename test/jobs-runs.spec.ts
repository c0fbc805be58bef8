/** Runs of jobs, as whoever carries them out begins and ends them: a job that ends its process is not tried for ever. */
import { describe, expect, it } from 'vitest'

import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { advanceJob, beginRun, carryOut, type JobRun, JobStopped, queueJob, readJobForRun } from '#tools/jobs/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

const never = new AbortController().signal

const transact = <T>(work: (context: TxContext) => Promise<T>): Promise<T> =>
  inSystemTransaction(world.platform.services, world.tenant.tenantId, work)

const attemptOf = (jobId: number, attempt = 1) => ({ tenantId: world.tenant.tenantId, jobId, attempt })

async function start(): Promise<number> {
  const request = { kind: 'test', operation: 'import_something', requiredRoles: 'DataImport', input: {} } as const
  return (await transact((context) => queueJob(context, request))).jobId
}

/** A run begins, and nobody hears of it again unless somebody ends it. */
const begin = (jobId: number, attempt = 1): Promise<JobRun | undefined> =>
  transact((context) => beginRun(context, attemptOf(jobId, attempt), ({ done }) => `row ${done + 1}`))

async function begun(jobId: number, attempt = 1): Promise<JobRun> {
  const run = await begin(jobId, attempt)
  if (!run) throw new Error('The run was refused')
  return run
}

async function advance(jobId: number, done: number): Promise<void> {
  const job = await readJobForRun(world.platform.services, attemptOf(jobId))
  if (!job) throw new Error('There is no job')
  await transact((context) => advanceJob(context, job, { done }))
}

const state = async (jobId: number) => (await world.call('get_job', { jobId })).state

describe('a job', () => {
  it('whose process ended twice at one place fails with its reason, and starts the count anew when it is retried', async () => {
    const jobId = await start()
    await begun(jobId)
    await advance(jobId, 2_000)
    await begun(jobId)
    expect(await begin(jobId)).toBeUndefined()
    expect(await world.call('get_job', { jobId })).toMatchObject({
      state: 'failed',
      progress: { done: 2_000 },
      error: { code: 'internal', message: expect.stringMatching(/^The process that ran it ended twice at row 2001\./) },
    })
    expect(await world.call('get_job_log', { jobId })).toMatchObject([{ level: 'error', message: expect.stringContaining('ended twice') }])
    await world.call('retry_job', { jobId })
    for (const _death of [1, 2]) await begun(jobId, 2)
    expect(await state(jobId)).toBe('queued')
    expect(await begin(jobId, 2)).toBeUndefined()
    expect(await state(jobId)).toBe('failed')
  })

  it('that comes further between deaths goes on, however many they are', async () => {
    const jobId = await start()
    for (let death = 1; death <= 6; death++) {
      await begun(jobId)
      await advance(jobId, death)
    }
    expect(await state(jobId)).toBe('running')
  })

  it('is not held to runs that ended, by an error too, nor to the end of a run that another has followed', async () => {
    const jobId = await start()
    const { services } = world.platform
    for (let failure = 1; failure <= 5; failure++) {
      const run = await begun(jobId)
      await expect(carryOut(services, run, never, () => Promise.reject(new Error('the network')))).rejects.toThrow('the network')
    }
    const stuck = await begun(jobId)
    await begun(jobId)
    // It was taken for dead and comes to its end after all; the run that followed it is still out.
    await carryOut(services, stuck, never, async () => {})
    expect(await begin(jobId)).toBeUndefined()
  })

  it('is not held to a run whose end the database could not be told', async () => {
    const jobId = await start()
    const { services } = world.platform
    const away: Services = {
      ...services,
      databases: { ...services.databases, transact: () => Promise.reject(new Error('The database is away')) },
    }
    for (let outage = 1; outage <= 4; outage++) await carryOut(away, await begun(jobId), never, async () => {})
    expect(await state(jobId)).toBe('queued')
  })

  it('that was cancelled stops what carries it out within seconds, whatever Temporal has heard', async () => {
    const jobId = await start()
    const stopped = carryOut(
      world.platform.services,
      await begun(jobId),
      never,
      (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    )
    const began = performance.now()
    await world.call('cancel_job', { jobId })
    await expect(stopped).rejects.toBeInstanceOf(JobStopped)
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})
