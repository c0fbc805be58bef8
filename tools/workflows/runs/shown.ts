/** Runs and their steps as the wire has them. */
import { z } from 'zod'

import type { TxContext } from '#platform/operation.ts'
import { rolesOf } from '#platform/roles.ts'

import type { anyJson, currentStep, workflowInstance } from './runs.schema.ts'
import type { FlowVersion, RunRow, Said, StepRow } from './runs.types.ts'
import { masked, type Masks, masksOf } from './masks.rules.ts'
import { isTold, sensitiveNames } from './sight.ts'
import { actionsOf, isObject, listIn, stepsIn } from './steps.rules.ts'
import { listActive } from './steps.store.ts'
import { findFlowVersion } from './versions.ts'

type CurrentStep = z.output<typeof currentStep>
type ShownStep = Omit<StepRow, 'input' | 'result' | 'answer'>

/** What holds each step that stands in a lane or a loop. */
function parentsIn(steps: readonly unknown[], parent?: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const said of steps) {
    if (!isObject(said)) continue
    const name = String(said['internalName'])
    if (parent !== undefined) found.set(name, parent)
    const config = isObject(said['config']) ? said['config'] : {}
    const inside = [...listIn(config['steps']), ...listIn(config['lanes']).flatMap((lane) => (isObject(lane) ? listIn(lane['steps']) : []))]
    for (const [inner, of] of parentsIn(inside, name)) found.set(inner, of)
  }
  return found
}

function assigneeOf({ assigneeUser, assigneeUsers, assigneeRole }: ShownStep): CurrentStep['assignee'] {
  if (assigneeUser !== null) return { tenantUserId: assigneeUser }
  if (assigneeUsers !== null) return assigneeUsers.length > 0 ? { tenantUserIds: [...assigneeUsers] } : {}
  const role = assigneeRole === null ? undefined : rolesOf(assigneeRole)[0]
  return role === undefined ? undefined : { role }
}

export function toCurrentStep(row: ShownStep, version: FlowVersion | undefined): CurrentStep {
  const steps = version?.steps ?? []
  const found = [...stepsIn(steps)].find(({ name }) => name === row.step)
  const parent = parentsIn(steps).get(row.step)
  const stepId = found?.said['stepId']
  const assignee = row.isWaiting ? assigneeOf(row) : undefined
  return {
    stepId: typeof stepId === 'number' && parent === undefined ? stepId : null,
    internalName: parent === undefined ? row.step : `${parent}.${row.step}`,
    ...(row.iteration.length === 0 ? {} : { iteration: [...row.iteration] }),
    stepType: row.stepType,
    state: 'active',
    ...(assignee === undefined ? {} : { assignee }),
    ...(row.dueAt === null ? {} : { dueDate: row.dueAt }),
    isOverdue: row.dueAt !== null && Date.parse(row.dueAt) <= Date.now(),
    actions: found && row.isWaiting ? actionsOf(found).map(({ internalName }) => internalName) : [],
  }
}

/** The runs with their steps under way, each definition read once. */
export async function showRuns(context: TxContext, rows: readonly RunRow[]): Promise<z.output<typeof workflowInstance>[]> {
  const { tx, tenantId } = context
  const active = Map.groupBy(
    rows.length > 0
      ? await listActive(
          tx,
          tenantId,
          rows.map(({ runId }) => runId),
        )
      : [],
    ({ runId }) => runId,
  )
  const versions = new Map<string, FlowVersion | undefined>()
  const sensitive = rows.length > 0 ? await sensitiveNames(context) : new Set<string>()
  const masks = new Map<string, Masks>()
  const shown: z.output<typeof workflowInstance>[] = []
  for (const row of rows) {
    const key = `${row.workflowId} ${row.version}`
    if (!versions.has(key)) versions.set(key, await findFlowVersion(context, row.workflowId, row.version))
    const version = versions.get(key)
    const told = await isTold(context, row, version)
    const hidden = masks.get(key) ?? masksOf(sensitive, version?.steps ?? [])
    masks.set(key, hidden)
    shown.push({
      workflowInstanceId: row.runId,
      workflowId: row.workflowId,
      internalName: row.internalName,
      version: row.version,
      state: row.isPaused && row.finishedDate === null ? 'paused' : row.state,
      ...(row.entityId === null ? {} : { entityId: row.entityId }),
      ...(row.eiRecordId === null ? {} : { eiRecordId: row.eiRecordId }),
      currentSteps: row.finishedDate === null ? (active.get(row.runId) ?? []).map((step) => toCurrentStep(step, version)) : [],
      // Masking leaves an object an object.
      variables: told ? (masked(row.variables, hidden) as Said) : {},
      ...(row.output === null || !told ? {} : { output: masked(row.output, hidden) as z.output<typeof anyJson> }),
      ...(told ? {} : { withheld: ['variables', 'output', 'error'] }),
      startedBy: row.startedBy,
      startedDate: row.createdDate,
      ...(row.finishedDate === null ? {} : { finishedDate: row.finishedDate }),
      ...(row.error === null ? {} : { error: told ? row.error : { ...row.error, message: 'It failed.' } }),
    })
  }
  return shown
}

export async function showRun(context: TxContext, row: RunRow): Promise<z.output<typeof workflowInstance>> {
  const [shown] = await showRuns(context, [row])
  if (!shown) throw new Error('A run was not shown')
  return shown
}
