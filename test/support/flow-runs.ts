/** Runs of definitions on a real Temporal: started, acted on and looked at. */
import { ApplicationFailure } from '@temporalio/activity'

import { createFlowActivities } from '#activities/flow.ts'
import type { Plan, PlanStep } from '#platform/flow/plan.types.ts'
import type { TxContext } from '#platform/operation.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import { flowRunWorkflowId, type StepOrder } from '#platform/shapes/flow-runs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findStepType, type FlowVersion, mustLockRun, type Said, startRun } from '#tools/workflows/service.ts'

import { patience } from './patience.ts'
import { startTestWorker, type TestTemporal, type TestWorker } from './temporal.ts'
import type { World } from './world.ts'

type Step = Said & { readonly internalName: string; readonly stepType: string; readonly config?: Said }

function planOfList(steps: readonly unknown[], isLocal: boolean): PlanStep[] {
  // Definitions of tests hold steps.
  return (steps as readonly Step[]).map(({ internalName: name, stepType, config = {}, next, onError }) => ({
    name,
    ...(isLocal && findStepType(stepType)?.isQuick ? { isQuick: true as const } : {}),
    ...(typeof next === 'string' ? { next } : {}),
    ...(onError === undefined ? {} : { onError: onError as NonNullable<PlanStep['onError']> }),
    ...(stepType === 'forEach'
      ? { body: planOfList(config['steps'] as unknown[], isLocal), maxParallel: Number(config['maxParallel'] ?? 1) }
      : {}),
    ...(stepType === 'parallel'
      ? {
          join: config['join'] === 'any' ? ('any' as const) : ('all' as const),
          lanes: (config['lanes'] as { internalName: string; steps: unknown[] }[]).map((lane) => ({
            name: lane.internalName,
            steps: planOfList(lane.steps, isLocal),
          })),
        }
      : {}),
  }))
}

/** `isLocal` false: nothing is carried out beside the workflow. */
export const planOf = (steps: readonly unknown[], isLocal = true): Plan => ({ steps: planOfList(steps, isLocal) })

export interface FlowWorld {
  readonly worker: TestWorker
  /** Starts a run of these steps, and answers its id. */
  start(
    steps: readonly Step[],
    more?: { readonly input?: Said; readonly eiRecordId?: number; readonly entityId?: number } & Partial<Omit<FlowVersion, 'input'>>,
  ): Promise<number>
  /** Somebody does something to a run. */
  act<T>(
    runId: number,
    work: (context: TxContext, run: Awaited<ReturnType<typeof mustLockRun>>, version: FlowVersion) => Promise<T>,
  ): Promise<T>
  /** Its row once it is in one of these states. */
  until(runId: number, ...states: string[]): Promise<FlowRow>
  /** Its steps as they were carried out. */
  steps(
    runId: number,
  ): Promise<readonly { readonly step: string; readonly state: string; readonly result: unknown; readonly error: unknown }[]>
  log(runId: number): Promise<readonly string[]>
  idOf(runId: number, epoch?: number): string
  close(): Promise<void>
}

export interface FlowRow {
  readonly state: string
  readonly variables: Said
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string; readonly step?: string } | null
}

/** `isLost`: whether a worker dies between committing this step and telling of it; asked before the step is told of. */
export async function openFlowWorld(
  world: World,
  temporal: TestTemporal,
  isLost: (order: StepOrder) => boolean | Promise<boolean> = () => false,
): Promise<FlowWorld> {
  const { services } = world.platform
  const { tenantId, tenantUserId } = world.tenant
  services.temporal.connectTo(temporal.address)
  const versions = new Map<number, FlowVersion>()
  const findVersion = async (_context: TxContext, workflowId: number) => versions.get(workflowId)
  const activities = createFlowActivities({ services, findVersion, retryDelayMs: 5 })
  const worker = await startTestWorker(temporal, {
    act: {
      ...activities,
      async performStep(order: StepOrder) {
        const outcome = await activities.performStep(order)
        if (await isLost(order)) throw ApplicationFailure.create({ message: 'the worker died', nextRetryDelay: 5 })
        return outcome
      },
    },
  })
  const relay: Relay = startRelay(services, (errand) => carryOut(services, errand))
  const [user] = await world.sql<{ userId: number }[]>`
    insert into platform.app_user (user_name) values (${`flow-${tenantId}`}) returning user_id`
  const [service] = await world.sql<{ tenantUserId: number }[]>`
    insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, role_flag, is_service)
    values (${tenantId}, ${user?.userId ?? 0}, 'flow', 'Flow', 0, true) returning tenant_user_id`
  const actsAs = service?.tenantUserId ?? 0
  const roles: RoleName[] = ['DataView', 'DataEdit', 'DataDelete']
  let count = 0
  const rowOf = async (runId: number) => {
    const [row] = await world.sql<FlowRow[]>`
      select case when is_paused then 'paused' else state end as state, variables, output, error from platform.workflow_run where run_id = ${runId}`
    if (!row) throw new Error(`There is no run ${runId}`)
    return row
  }
  return {
    worker,
    async start(steps, { input = {}, eiRecordId, entityId, ...more } = {}) {
      const workflowId = ++count
      const version: FlowVersion = {
        workflowId,
        version: 1,
        internalName: `flow${workflowId}`,
        steps,
        plan: planOf(steps),
        actsAs,
        roleFlag: flagOf(roles),
        ...more,
      }
      versions.set(workflowId, version)
      const started = await inSystemTransaction(services, tenantId, (context) =>
        startRun(context, { version, input, eiRecordId, entityId, startedBy: tenantUserId, lane: 'people' }),
      )
      if (!started) throw new Error('Nothing was started')
      return started.runId
    },
    act: (runId, work) =>
      inSystemTransaction(
        services,
        tenantId,
        async (context) => {
          const run = await mustLockRun(context, runId)
          const version = versions.get(run.workflowId)
          if (!version) throw new Error('A run without a version')
          return work(context, run, version)
        },
        { tenantUserId, roleFlag: 511 },
      ),
    async until(runId, ...states) {
      const deadline = Date.now() + 2 * patience.timeout
      for (;;) {
        const row = await rowOf(runId)
        if (states.includes(row.state)) return row
        if (Date.now() > deadline) throw new Error(`Run ${runId} is ${row.state}, not ${states.join(' or ')}: ${JSON.stringify(row.error)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    steps: (runId) =>
      world.sql<{ step: string; state: string; result: unknown; error: unknown }[]>`
        select step, state, result, error from platform.workflow_step_run where run_id = ${runId} order by step_no`,
    async log(runId) {
      const rows = await world.sql<{ line: string }[]>`
        select coalesce(step || ' ', '') || event as line from platform.workflow_log where run_id = ${runId} order by seq`
      return rows.map(({ line }) => line)
    },
    idOf: (runId, epoch = 1) => flowRunWorkflowId({ tenantId, runId }, epoch),
    async close() {
      await relay.stop()
      await worker.stop()
    },
  }
}
