/** Questions to people: what came back counts once, decided in a transaction that holds the run, and everybody else who was asked is told. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { flowRunWorkflowId } from '#platform/shapes/flow-runs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { findCaller } from '#tools/entities/service.ts'
import type { Card } from '#tools/messaging/messaging.schema.ts'
import {
  closeConversation,
  listAsked,
  listRepliesTo,
  type Reply,
  sayIn,
  understood,
  wakeByReplies,
  type Watched,
} from '#tools/messaging/service.ts'

import { againText, answeredText, settledText } from './ask-texts.rules.ts'
import type { OpenStep } from './carrying.ts'
import { addStepLine, lockRun } from './runs.store.ts'
import type { Answer, Asked, AskedPerson, RunRow } from './runs.types.ts'
import { emitPoke } from './starting.ts'
import { answerStep, findAsked, findStep, setAsked } from './steps.store.ts'

const conversationsOf = ({ people }: Asked): readonly Watched[] => people.flatMap(({ conversations }) => conversations)

async function languageOf({ tx, tenantId }: TxContext, tenantUserId: number | null): Promise<string | undefined> {
  return tenantUserId === null ? undefined : (await findCaller(tx, tenantId, tenantUserId))?.languageCode
}

/** Whom a step has asked; undefined where it has asked nobody yet. */
export function findQuestion(services: Services, { order }: OpenStep): Promise<Asked | undefined> {
  return inSystemTransaction(services, order.tenantId, ({ tx }) => findAsked(tx, order.tenantId, order.runId, order.no))
}

/** Keeps whom a step asks; their replies wake it from then on. What has come in before wakes it now. */
export async function keepQuestion(
  context: TxContext,
  { order, run }: { readonly order: Pick<OpenStep['order'], 'runId' | 'no'>; readonly run: Pick<RunRow, 'runId' | 'epoch'> },
  asked: Asked,
): Promise<void> {
  const { tx, tenantId } = context
  const { runId, no } = order
  const watched = conversationsOf(asked)
  await setAsked(tx, tenantId, runId, no, asked)
  const workflowId = flowRunWorkflowId({ tenantId, runId }, run.epoch)
  await wakeByReplies(context, watched, { workflowId, no })
  if ((await listRepliesTo(context, watched)).length > 0) await emitPoke(context, run, no)
}

/** The same, of a step that waits already. */
export async function changeQuestion(services: Services, open: OpenStep, asked: Asked): Promise<void> {
  const { tenantId, runId } = open.order
  await inSystemTransaction(services, tenantId, async (context) => {
    await lockRun(context.tx, tenantId, runId)
    await keepQuestion(context, open, asked)
  })
}

/** Who was first, as the others are told. */
interface First {
  readonly person?: AskedPerson | undefined
  readonly tenantUserId: number | null
  /** What they chose. */
  readonly label: string | undefined
}

/** Ends what was asked, and tells it to everybody but who answered: who that was, or that no answer is needed. */
async function close(context: TxContext, asked: Asked, by?: First): Promise<void> {
  const { tx, tenantId } = context
  const name = by?.tenantUserId == null ? undefined : (await findCaller(tx, tenantId, by.tenantUserId))?.displayName
  for (const person of asked.people) {
    const all = await listAsked(context, person.conversations)
    for (const [index, { conversationId, tenantUserId }] of all.entries()) {
      const isFirst = by !== undefined && (person === by.person || (tenantUserId !== null && tenantUserId === by.tenantUserId))
      const isTold = !isFirst && index === all.length - 1
      const language = isTold ? await languageOf(context, tenantUserId) : undefined
      const text = by ? answeredText(language, name, by.label) : settledText(language)
      await closeConversation(context, conversationId, isTold ? { text, isNotice: true } : undefined)
    }
  }
}

/** Nobody is asked any more. Inside a transaction that holds the run. */
export async function withdrawQuestion(
  context: TxContext,
  run: Pick<RunRow, 'runId' | 'actsAs'>,
  stepNo: number,
  by?: First,
): Promise<void> {
  const asked = await findAsked(context.tx, context.tenantId, run.runId, stepNo)
  if (asked) await close({ ...context, actor: { ...context.actor, tenantUserId: run.actsAs } }, asked, by)
}

/** The same, of a step that goes on: without an answer, or by what somebody did. */
export async function settleQuestion(services: Services, { order, run }: OpenStep, by?: First): Promise<void> {
  const { tenantId, runId, no } = order
  await inSystemTransaction(services, tenantId, async (context) => {
    await lockRun(context.tx, tenantId, runId)
    await withdrawQuestion(context, run, no, by)
  })
}

/** What a reply comes to: what the step goes on with, or something to say, or nothing. */
export type Judged =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly label?: string | undefined }
  /** Once for each person where `isOnce`. */
  | { readonly kind: 'say'; readonly text: string; readonly card?: Card; readonly isOnce: boolean }
  | { readonly kind: 'ignore' }

export type Judge = (context: TxContext, reply: Reply) => Promise<Judged>

interface Read {
  readonly people: AskedPerson[]
  readonly by?: { readonly first: First; readonly answer: Answer }
}

/** Of a question that whoever was asked may answer. What others write into the conversation is kept there. */
export const judgeReply: Judge = async (context, reply) => {
  const { choices, text, assetKeys, tenantUserId, address, at } = reply
  if (!reply.isOfReceiver) return { kind: 'ignore' }
  const language = await languageOf(context, tenantUserId)
  const choice = reply.choice ?? (choices ? (understood(text, choices, language) ?? null) : null)
  const isAnswer = choices ? choice !== null : text.trim() !== '' || assetKeys.length > 0
  if (isAnswer) {
    const said = { text, choice, assetKeys, ...(tenantUserId === null ? { address } : {}) }
    return {
      kind: 'answer',
      answer: { kind: 'replied', by: tenantUserId, at, reply: said },
      label: choices?.find(({ key }) => key === choice)?.label,
    }
  }
  return choices ? { kind: 'say', text: againText(language), card: { choices }, isOnce: true } : { kind: 'ignore' }
}

/** Reads the replies in their order up to the first that answers; who is not understood is asked again, once. */
async function read(context: TxContext, asked: Asked, judge: Judge): Promise<Read> {
  const people = [...asked.people]
  for (const reply of await listRepliesTo(context, conversationsOf(asked))) {
    // Who was first is told by its files as well: a later one does not overtake them.
    if (!reply.isWhole) break
    const index = people.findIndex(({ conversations }) =>
      conversations.some(({ conversationId }) => conversationId === reply.conversationId),
    )
    const person = people[index]
    if (!person) continue
    const conversations = person.conversations.map((one) =>
      one.conversationId === reply.conversationId ? { ...one, afterSeq: reply.seq } : one,
    )
    const seen = { ...person, conversations }
    people[index] = seen
    if (reply.isKeyword) continue
    const judged = await judge(context, reply)
    if (judged.kind === 'answer') {
      const { answer, label } = judged
      return { people, by: { answer, first: { person: seen, tenantUserId: reply.tenantUserId, label } } }
    }
    if (judged.kind === 'ignore' || (judged.isOnce && seen.isAskedAgain)) continue
    const { text, card } = judged
    await sayIn(context, reply.conversationId, { text, ...(card ? { card } : {}) })
    people[index] = { ...seen, isAskedAgain: seen.isAskedAgain || judged.isOnce }
  }
  return { people }
}

/** Takes what came in. `answered`: the step has its answer; else whom it asks. */
export async function takeReplies(
  services: Services,
  { order, run }: OpenStep,
  judge: Judge,
): Promise<{ readonly kind: 'answered' } | { readonly kind: 'waiting'; readonly asked: Asked }> {
  const { tenantId, runId, no } = order
  return inSystemTransaction(
    services,
    tenantId,
    async (context) => {
      const { tx, stamp } = context
      await lockRun(tx, tenantId, runId)
      const row = await findStep(tx, tenantId, runId, no)
      const asked = row?.isWaiting ? await findAsked(tx, tenantId, runId, no) : undefined
      if (!row || !asked) return { kind: 'answered' as const }
      const { people, by } = await read(context, asked, judge)
      const now = { ...asked, people }
      await setAsked(tx, tenantId, runId, no, now)
      if (by) {
        const { answer, first } = by
        const { reply, action } = answer
        await answerStep(tx, tenantId, runId, no, answer)
        const output = action === undefined ? { choice: reply?.choice ?? null, text: reply?.text ?? '' } : { action }
        await addStepLine(tx, tenantId, runId, stamp, { event: 'acted', row, by: answer.by, comment: answer.comment, output })
        await close(context, now, first)
        return { kind: 'answered' as const }
      }
      return { kind: 'waiting' as const, asked: now }
    },
    { tenantUserId: run.actsAs },
  )
}
