/** Tasks and whom they are for: people are told over their channels, and may do a task by answering. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { findCaller } from '#tools/entities/service.ts'
import { makeLinkOfRun, takeBackLinksOfRun } from '#tools/forms/service.ts'
import { addOutbound, choiceOf, openConversation, understood } from '#tools/messaging/service.ts'

import { refuseStranger } from './acting.ts'
import { againText, nobodyText, openTaskText, reasonText, waitsText } from './ask-texts.rules.ts'
import { type Judge, keepQuestion, withdrawQuestion } from './asking.ts'
import type { OpenStep } from './carrying.ts'
import { findBuilderOf, findUsersOfRole } from './people.store.ts'
import { addLogLine } from './runs.store.ts'
import type { AskedPerson, Assignment, Said } from './runs.types.ts'
import { actionsOf, type FoundStep, isObject, listIn, maxPeople, recordOfForm, slotIn, textIn } from './steps.rules.ts'
import { findStep } from './steps.store.ts'

/** A task that more people share is found by list_my_tasks. */
const mostTold = 50
/** Every channel carries as much. */
const longestText = 600
const mostChoices = 10

interface TaskStep extends Pick<OpenStep, 'run' | 'found'> {
  readonly order: Pick<OpenStep['order'], 'tenantId' | 'runId' | 'no'>
  readonly input: Said
}

/** What a button says to somebody: its display in their language, else in the first, else its name. */
function labelOf(action: Said, languageCode: string | undefined): string {
  const displays = listIn(action['displays']).filter(isObject)
  const primaryOf = (code: unknown) => String(code).toLowerCase().split('-', 1)[0]
  const own =
    displays.find((one) => one['languageCode'] === languageCode) ??
    displays.find((one) => languageCode !== undefined && primaryOf(one['languageCode']) === primaryOf(languageCode)) ??
    displays[0]
  return (textIn(own?.['name']) ?? String(action['internalName'])).slice(0, 100)
}

/** What may be done on a step, as somebody reads it. */
export function buttonsOf(found: FoundStep, languageCode: string | undefined) {
  const said = listIn(found.said['actions']).filter(isObject)
  return actionsOf(found).map(({ internalName, requiresComment }) => {
    const own = said.find((one) => one['internalName'] === internalName) ?? { internalName }
    return { internalName, label: labelOf(own, languageCode), requiresComment }
  })
}

function choicesOf(found: FoundStep, languageCode: string | undefined) {
  const all = buttonsOf(found, languageCode).map(({ internalName: key, label }) => ({ key, label }))
  return found.stepType === 'approval' && all.length <= mostChoices ? all : undefined
}

/** The conversation about a task; a record that is gone meanwhile is no reason not to tell. */
async function conversationWith(context: TxContext, tenantUserId: number, eiRecordId: number | null) {
  const to = { tenantUserId }
  if (eiRecordId === null) return openConversation(context, { to })
  try {
    return await openConversation(context, { to, eiRecordId })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return openConversation(context, { to })
  }
}

/** The record that the link changes; undefined where the step names none that there can be, which whoever acts is told. */
function recordOf({ run, found, input }: TaskStep): number | null | undefined {
  if (found.stepType !== 'form') return run.eiRecordId
  try {
    return recordOfForm(input, run)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** A link to the task, for whom no button does it. */
async function linkTo(context: TxContext, step: TaskStep, toUserId: number) {
  const { run, found, input, order } = step
  const eiRecordId = recordOf(step)
  if (eiRecordId === undefined) return undefined
  const form = found.stepType === 'form' ? slotIn(input['form']) : undefined
  return makeLinkOfRun(context, { runId: run.runId, stepNo: order.no, roleFlag: run.roleFlag, form, eiRecordId, toUserId })
}

async function tell(context: TxContext, step: TaskStep, tenantUserId: number): Promise<AskedPerson> {
  const { run, found, input } = step
  const user = await findCaller(context.tx, context.tenantId, tenantUserId)
  const language = user?.languageCode
  const conversation = await conversationWith(context, tenantUserId, run.eiRecordId)
  // Who wrote an e-mail nobody knows for certain: it does no task, and a link that only its reader has does.
  const choices = conversation.channel === 'email' ? undefined : choicesOf(found, language)
  const question = textIn(input['question']) ?? ''
  const text = [waitsText(language, run.internalName, found.name), question.slice(0, longestText)].filter((one) => one !== '').join('\n\n')
  const link = choices ? undefined : await linkTo(context, step, tenantUserId)
  const card = choices ? { choices } : link && { link: { label: openTaskText(language), url: link.url } }
  const mail = { type: 'taskAssigned', title: `${run.internalName}, ${found.name}` } as const
  const { conversationId, messageId, seq } = await addOutbound(context, conversation, {
    text,
    ...(card ? { card } : {}),
    isNotice: true,
    mail,
  })
  await link?.sentWith(messageId)
  return { to: { tenantUserId }, conversations: [{ conversationId, afterSeq: seq }], isAskedAgain: false }
}

/** Nobody who could do it is found: it waits to be assigned, and whoever built the workflow hears of it. */
async function tellBuilder(context: TxContext, { run, found, order }: TaskStep): Promise<void> {
  const { tx, tenantId, stamp } = context
  const row = await findStep(tx, tenantId, run.runId, order.no)
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'assigned', row, comment: 'Nobody is found who could do it.' })
  const builder = await findBuilderOf(tx, tenantId, { ...run, role: roleBits.BuilderAdmin })
  if (builder === undefined) return
  const language = (await findCaller(tx, tenantId, builder))?.languageCode
  const conversation = await conversationWith(context, builder, run.eiRecordId)
  await addOutbound(context, conversation, {
    text: nobodyText(language, `${run.internalName}, ${found.name}`, run.runId),
    isNotice: true,
  })
}

/** Tells those whom a task is for, each who holds its role where it is a role's. Inside a transaction that holds the run. */
export async function tellTask(context: TxContext, step: TaskStep, { user, users, role }: Assignment): Promise<void> {
  const { tx, tenantId } = context
  const named = user === null ? (users ?? []) : [user]
  const all = role === null ? named : await findUsersOfRole(tx, tenantId, role, maxPeople)
  const asRun = { ...context, actor: { ...context.actor, tenantUserId: step.run.actsAs } }
  if (all.length === 0) return tellBuilder(asRun, step)
  const people: AskedPerson[] = []
  for (const tenantUserId of all.slice(0, mostTold)) people.push(await tell(asRun, step, tenantUserId))
  await keepQuestion(context, step, { people, reminded: 0 })
}

/** A task that was given to somebody else: who had it is told that it is settled. Inside a transaction that holds the run. */
export async function tellTaskAnew(context: TxContext, step: TaskStep, to: Assignment): Promise<void> {
  await withdrawQuestion(context, step.run, step.order.no)
  await takeBackLinksOfRun(context, step.run.runId, step.order.no)
  await tellTask(context, step, to)
}

/** A reply to a task does it, in the right of whoever wrote it: that of a user who may act. */
export const judgeTask =
  ({ order, run, found }: OpenStep): Judge =>
  async (context, reply) => {
    const { tx, tenantId } = context
    const { choices, tenantUserId, text, at } = reply
    const user = tenantUserId === null ? undefined : await findCaller(tx, tenantId, tenantUserId)
    const row = await findStep(tx, tenantId, order.runId, order.no)
    if (!choices || !user || tenantUserId === null || !row) return { kind: 'ignore' }
    const { languageCode, roleFlag } = user
    const choice = reply.choice ?? understood(text, choices, languageCode)
    const action = actionsOf(found).find(({ internalName }) => internalName === choice)
    if (!action) return { kind: 'say', text: againText(languageCode), card: { choices }, isOnce: true }
    try {
      await refuseStranger({ ...context, actor: { tenantUserId, roleFlag } }, run, row, found.said)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { kind: 'say', text: error.message, isOnce: true }
    }
    const label = choices.find(({ key }) => key === choice)?.label ?? action.internalName
    const comment = text.trim() === '' || choiceOf(text, choices) !== undefined ? undefined : text
    if (action.requiresComment && comment === undefined)
      return { kind: 'say', text: reasonText(languageCode, label), card: { choices }, isOnce: false }
    const answer = {
      kind: 'acted' as const,
      by: tenantUserId,
      at,
      action: action.internalName,
      ...(comment === undefined ? {} : { comment }),
    }
    return { kind: 'answer', answer, label }
  }
