/** Tasks as signed links reach them: shown and done in the right of whoever made the link, in the name of whom it is for. */
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { insertErrands } from '#platform/outbox.ts'
import { findCaller } from '#tools/entities/service.ts'
import type { LinkTask, Settled, TaskFloor, TaskOfLink } from '#tools/forms/links/tasks.types.ts'
import { settledLink } from '#tools/forms/service.ts'

import { actOn, isAssignee, refuseEnded, refuseKeptApart, refuseStranger, taskFor } from './acting.ts'
import { findPresentUsers } from './people.store.ts'
import { findRun, lockedAt, lockRun } from './runs.store.ts'
import type { FlowVersion, RunRow, StepRow } from './runs.types.ts'
import { isTold, mustSeeRun, onlySeenRuns } from './sight.ts'
import { type FoundStep, mustFindStep, recordOfForm, textIn } from './steps.rules.ts'
import { buttonsOf } from './telling.ts'
import { findStep, listWaiting } from './steps.store.ts'
import { findFlowVersion } from './versions.ts'

type Asking = Pick<TxContext, 'tx' | 'tenantId' | 'actor'>

interface OpenTask {
  readonly run: RunRow
  readonly row: StepRow
  readonly found: FoundStep
}

/** Who did it, as far as somebody did. */
async function settledOf({ tx, tenantId }: Asking, { answer, endedAt, begunAt }: StepRow, run: RunRow): Promise<Settled> {
  const user = answer?.by == null ? undefined : await findCaller(tx, tenantId, answer.by)
  return { by: user?.displayName ?? answer?.link?.address, at: answer?.at ?? endedAt ?? run.finishedDate ?? begunAt }
}

/** Throws 403 where the link's maker may not do the task any more, or its recipient may not. */
async function refuseUnable(
  asking: Asking,
  { run, row, found }: OpenTask,
  { toUserId, isOfRun }: Pick<TaskOfLink, 'toUserId' | 'isOfRun'>,
) {
  const { tx, tenantId } = asking
  if (!isOfRun) await refuseStranger(asking, run, row, found.said)
  // An address without a user holds no role, and did nothing here before.
  if (toUserId === null) return
  const [present] = await findPresentUsers(tx, tenantId, [toUserId])
  const recipient = present === undefined ? undefined : await findCaller(tx, tenantId, present)
  if (!recipient) throw new AppError('forbidden', 'Whoever the link is for may not act any more. Assign the task to somebody else.')
  const { roleFlag } = recipient
  const refuse = isOfRun ? refuseStranger : refuseKeptApart
  await refuse({ tx, tenantId, actor: { tenantUserId: toUserId, roleFlag } }, run, row, found.said)
}

/** Whether what is asked is for the eyes of the link's maker, and so of whom it was made for. */
async function isAskedOf(context: TxContext, { run, row }: OpenTask, version: FlowVersion, isOfRun: boolean): Promise<boolean> {
  return isOfRun || isAssignee(row, context.actor) || isTold(context, run, version)
}

function taskOf(open: OpenTask, of: Pick<TaskOfLink, 'toUserId' | 'isOfRun'>, isAsked: boolean, languageCode: string): LinkTask {
  const { run, row, found } = open
  const { form, question } = row.input ?? {}
  const isForm = row.stepType === 'form'
  return {
    runId: run.runId,
    stepNo: row.stepNo,
    workflow: run.internalName,
    step: row.step,
    form: isForm && (typeof form === 'string' || typeof form === 'number') ? form : undefined,
    eiRecordId: isForm ? recordOfForm(row.input ?? {}, run) : run.eiRecordId,
    question: isAsked ? textIn(question) : undefined,
    dueDate: row.dueAt,
    actions: buttonsOf(found, languageCode),
    depth: run.depth + 1,
    async act({ tx, tenantId, actor }, link, act) {
      const stamp = await lockedAt(tx, tenantId, run.runId)
      const now = mustExist(await lockRun(tx, tenantId, run.runId), 'workflow instance')
      const step = mustExist(await findStep(tx, tenantId, run.runId, row.stepNo), 'task')
      const asking = { tx, tenantId, actor }
      if (!step.isWaiting || now.finishedDate !== null) throw settledLink(await settledOf(asking, step, now))
      const inHand = { run: now, row: step, found }
      await refuseUnable(asking, inHand, of)
      const emit = (errand: Parameters<typeof insertErrands>[2][number]) => insertErrands(tx, tenantId, [errand])
      const by = { tenantUserId: of.toUserId ?? 0 }
      await actOn({ tx, tenantId, actor: by, stamp, emit }, inHand, { ...act, link })
    },
  }
}

export const taskFloor: TaskFloor = {
  async findTask(context, { runId, step, iteration, toUserId }) {
    const { tx, tenantId, actor } = context
    const run = await mustSeeRun(context, runId, lockRun)
    refuseEnded(run)
    const row = taskFor(await listWaiting(tx, tenantId, runId), { step, iteration }, actor, run)
    const version = mustExist(await findFlowVersion(context, run.workflowId, run.version), 'version')
    const open = { run, row, found: mustFindStep(version.steps, row.step) }
    const of = { toUserId, isOfRun: false }
    await refuseUnable(context, open, of)
    return taskOf(open, of, await isAskedOf(context, open, version, false), 'en')
  },
  async readTask(context, of, languageCode) {
    const { tx, tenantId } = context
    const run = mustExist(await findRun(tx, tenantId, of.runId), 'workflow instance')
    const row = mustExist(await findStep(tx, tenantId, of.runId, of.stepNo), 'task')
    if (!row.isWaiting || run.finishedDate !== null) return { settled: await settledOf(context, row, run) }
    if (!of.isOfRun && (await onlySeenRuns(context, [run])).length === 0)
      throw new AppError('forbidden', 'Whoever made the link sees the run no more. Ask them for a new one.')
    const version = mustExist(await findFlowVersion(context, run.workflowId, run.version), 'version')
    const open = { run, row, found: mustFindStep(version.steps, row.step) }
    await refuseUnable(context, open, of)
    return { task: taskOf(open, of, await isAskedOf(context, open, version, of.isOfRun), languageCode) }
  },
}
