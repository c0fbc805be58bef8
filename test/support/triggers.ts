/** What happens starts runs, without anything that carries them: what is started is looked at, and ended by hand. */
import { type Carrier, startCarrier } from '#server/worker/carrier.ts'
import { type Starter, startStarter } from '#server/worker/starter.ts'
import { watcherKinds } from '#server/worker/watcher-kinds.ts'
import { recordRunEnd } from '#tools/workflows/service.ts'

import type { CallOptions, World } from './world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
type Any = any

export interface TriggerWorld {
  readonly starter: Starter
  readonly carrier: Carrier
  /** Publishes a workflow of one step that waits for a person, and answers its name. */
  publish(triggers: readonly object[], more?: object, options?: CallOptions): Promise<string>
  /** Until everything that happened has started what it starts. */
  drain(): Promise<void>
  /** Its runs, the oldest first. */
  runs(workflow: string, options?: CallOptions): Promise<Any[]>
  /** What `$trigger` holds in each run. */
  triggers(workflow: string, options?: CallOptions): Promise<Any[]>
  log(workflowInstanceId: number, options?: CallOptions): Promise<Any[]>
  end(runId: number, state?: 'completed' | 'failed' | 'cancelled'): Promise<void>
  stop(): Promise<void>
}

let count = 0

export function openTriggers(world: World): TriggerWorld {
  const { services } = world.platform
  const carrier = startCarrier(services, watcherKinds, { isIdle: true })
  const starter = startStarter(services, { isIdle: true })
  const log = (workflowInstanceId: number, options?: CallOptions) =>
    world.call('get_workflow_instance_log', { workflowInstanceId, pageSize: 1_000 }, options)
  const runs = async (workflow: string, options?: CallOptions) => {
    const found: Any[] = await world.call('list_workflow_instances', { workflow, pageSize: 1_000 }, options)
    return found.toReversed()
  }
  return {
    starter,
    carrier,
    async publish(triggers, more = {}, options) {
      const workflow = `Triggered${++count}`
      const said = {
        internalName: workflow,
        displays: [{ languageCode: 'en-US', name: workflow }],
        roles: ['DataView', 'DataEdit'],
        steps: [{ internalName: 'look', stepType: 'approval', config: { question: 'Is it so?' } }],
        triggers,
        ...more,
      }
      const { issues = [] } = await world.call('import_workflow', said, options)
      const errors = issues.filter((one: { severity: string }) => one.severity === 'error')
      if (errors.length > 0) throw new Error(JSON.stringify(errors))
      await world.call('publish_workflow', { workflow }, options)
      return workflow
    },
    async drain() {
      await carrier.drain()
      await starter.drain()
    },
    runs,
    log,
    async triggers(workflow, options) {
      const lines = []
      for (const { workflowInstanceId } of await runs(workflow, options)) lines.push(await log(workflowInstanceId, options))
      return lines.flatMap((some) =>
        some
          // Of the run itself, where a worker carries its steps.
          .filter(({ event, step }: { event: string; step?: string }) => event === 'started' && step === undefined)
          .map(({ input }: { input: unknown }) => input),
      )
    },
    async end(runId, state = 'completed') {
      const [row] = await world.sql<{ tenantId: number }[]>`select tenant_id from platform.workflow_run where run_id = ${runId}`
      const because = state === 'failed' ? 'step' : state === 'cancelled' ? 'cancelled' : 'done'
      // Of a run that nobody carried there is nothing to go on with.
      await recordRunEnd(services, { tenantId: row?.tenantId ?? 0, runId, epoch: 1, state, because, hadFailures: false, flow: {} as never })
    },
    async stop() {
      await starter.stop()
      await carrier.stop()
    },
  }
}
