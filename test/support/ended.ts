/** Jobs that a test waits for. */
import type { World } from './world.ts'

/** The job once it is over, or as it stands when it was waited for long enough on any machine. */
export async function endOf({ call }: Pick<World, 'call'>, jobId: number) {
  for (let waits = 1; ; waits++) {
    const job = await call('await_job', { jobId, timeoutSeconds: 55 })
    if (waits === 3 || (job.state !== 'queued' && job.state !== 'running')) return job
  }
}
