/** Steps that wait for a person to act on them. */
import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import type { Tx } from '#platform/db/pool.ts'
import { addDuration, printInstant, readDuration } from '#platform/tokens/zoned.ts'
import { wordAs } from '#tools/messaging/service.ts'
import {
  actionsOf,
  type Answer,
  findQuestion,
  isObject,
  judgeTask,
  markOverdue,
  type Said,
  settleQuestion,
  takeReplies,
  tellTask,
  textIn,
} from '#tools/workflows/service.ts'

import { assignmentOf } from './assignees.ts'
import { receiversOf } from './receivers.ts'
import type { StepContext, StepEnd } from './step.types.ts'

/** When the step is overdue. Throws AppError `unprocessable`. */
export async function dueOf({ open, scope }: StepContext): Promise<string | null> {
  const { found, row } = open
  if (found.said['dueIn'] === undefined) return null
  const duration = readDuration(await (await scope()).resolve(found.said['dueIn']))
  const time = duration && addDuration({ kind: 'instant', ms: Date.parse(row.begunAt) }, duration, (await scope()).timeZone)
  if (!time) throw new AppError('unprocessable', 'dueIn is no duration, such as P1D.')
  return printInstant(time.ms)
}

/** Who acted, as tokens read it: a user's id, else the address that a link was for. */
export const authorOf = ({ by, link }: Pick<Answer, 'by' | 'link'>): number | string | null => by ?? link?.address ?? null

/** What the step goes on with once somebody acted; `resultOf` is what tokens read of it. */
async function acted({ open, scope }: StepContext, answer: Answer, resultOf: (answer: Answer) => unknown): Promise<StepEnd> {
  const { found } = open
  const action = actionsOf(found).find(({ internalName }) => internalName === answer.action)
  const result = resultOf(answer)
  // A button may set variables by what was just entered.
  const set = await (await scope()).resolve(action?.set ?? {}, { $answer: result })
  return { kind: 'done', result, goTo: action?.goTo, set: isObject(set) ? set : {}, by: answer.by, comment: answer.comment }
}

/** Not the step's own effect: it goes on waiting. Whoever cannot be told is no reason to hold it up. */
async function tellOverdue(step: StepContext, { to, text, template }: Said): Promise<void> {
  const { services, who, open, signal } = step
  const message = { ...(text === undefined ? {} : { text }), ...(template === undefined ? {} : { template }) }
  const about = open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId }
  const receivers = await receiversOf(step, to).catch(() => [])
  for (const [index, one] of receivers.entries()) {
    const call = {
      key: `overdue:${open.row.stepNo}:${index}`,
      signal,
      commitWith: (tx: Tx, answer: unknown) =>
        wordAs(tx, who.tenantId, answer, { type: 'taskOverdue', title: `${open.run.internalName}, ${open.found.name}` }),
    }
    await runAs(services, who, 'send_message', { ...message, ...about, to: one }, call).catch(() => undefined)
  }
}

/** Once, when its time has come: the definition says whom it goes to, or where it leads. */
async function overdue(step: StepContext): Promise<StepEnd | undefined> {
  const { open, services, scope } = step
  const { said } = open.found
  const onOverdue = isObject(said['onOverdue']) ? said['onOverdue'] : {}
  const resolved = await (await scope()).resolve(onOverdue)
  const { assign, goTo, notify } = isObject(resolved) ? resolved : {}
  const to = assign === undefined ? undefined : await assignmentOf(step, assign)
  await markOverdue(services, open, to)
  if (isObject(notify)) await tellOverdue(step, notify)
  return textIn(goTo) === undefined ? undefined : { kind: 'done', goTo: textIn(goTo), result: null }
}

/** What a step comes to that waits and is overdue; else until when it waits for that. */
export async function overdueEnd(
  step: StepContext,
): Promise<{ readonly end?: StepEnd | undefined; readonly untilMs?: number | undefined }> {
  const { dueAt, overdueAt } = step.open.row
  if (dueAt === null) return {}
  // A try that was interrupted behind its mark does the rest.
  const isDue = (overdueAt === null || step.phase === 'wake') && Date.parse(dueAt) <= Date.now()
  if (isDue) return { end: await overdue(step) }
  return overdueAt === null ? { untilMs: Date.parse(dueAt) } : {}
}

export async function task(step: StepContext, resultOf: (answer: Answer) => unknown): Promise<StepEnd> {
  const { open, scope, services } = step
  const { row, found } = open
  if (row.answer) {
    // Whoever else was told of it has nothing left to do.
    await settleQuestion(services, open, { tenantUserId: row.answer.by, label: row.answer.action })
    return acted(step, row.answer, resultOf)
  }
  if (step.phase === 'begin') {
    const assignee = await (await scope()).resolve(found.said['assignee'] ?? null)
    const dueAt = await dueOf(step)
    const assignment = await assignmentOf(step, assignee)
    return {
      kind: 'waiting',
      wait: { ...assignment, dueAt },
      untilMs: dueAt === null ? undefined : Date.parse(dueAt),
      // What nobody was named for is found by whoever may edit, and not told to all of them.
      ...(assignee === null ? {} : { begin: (context) => tellTask(context, { ...open, input: step.config }, assignment) }),
    }
  }
  if (await findQuestion(services, open)) {
    const { kind } = await takeReplies(services, open, judgeTask(open))
    // Read anew, the step has its answer.
    if (kind === 'answered') return { kind: 'recorded' }
  }
  const { end, untilMs } = await overdueEnd(step)
  if (end) await settleQuestion(services, open)
  return end ?? { kind: 'waiting', wait: {}, untilMs }
}
