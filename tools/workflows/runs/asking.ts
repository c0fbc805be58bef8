/** Questions to people: what came back counts once, decided in a transaction that holds the run, and everybody else who was asked is told. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { flowRunWorkflowId } from '#platform/shapes/flow-runs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { findCaller } from '#tools/entities/service.ts'
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
export async function keepQuestion(context: TxContext, { order, run }: OpenStep, asked: Asked): Promise<void> {
  const { tx, tenantId } = context
  const { runId, no } = order
  const watched = conversationsOf(asked)
  await setAsked(tx, tenantId, runId, no, asked)
  const workflowId = flowRunWorkflowId({ tenantId, runId }, run.epoch)
  await wakeByReplies(
    context,
    watched.map(({ conversationId }) => conversationId),
    { workflowId, no },
  )
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

/** Ends what was asked, and tells it to everybody but who answered: who that was, or that no answer is needed. */
async function close(
  context: TxContext,
  asked: Asked,
  by?: { readonly person: AskedPerson; readonly reply: Reply; readonly label: string | undefined },
): Promise<void> {
  const { tx, tenantId } = context
  const name = by?.reply.tenantUserId == null ? undefined : (await findCaller(tx, tenantId, by.reply.tenantUserId))?.displayName
  for (const person of asked.people) {
    const all = await listAsked(context, person.conversations)
    for (const [index, { conversationId, tenantUserId }] of all.entries()) {
      const isTold = person !== by?.person && index === all.length - 1
      const language = isTold ? await languageOf(context, tenantUserId) : undefined
      await closeConversation(
        context,
        conversationId,
        isTold ? (by ? answeredText(language, name, by.label) : settledText(language)) : undefined,
      )
    }
  }
}

/** Nobody is asked any more. Inside a transaction that holds the run. */
export async function withdrawQuestion(context: TxContext, run: Pick<RunRow, 'runId' | 'actsAs'>, stepNo: number): Promise<void> {
  const asked = await findAsked(context.tx, context.tenantId, run.runId, stepNo)
  if (asked) await close({ ...context, actor: { ...context.actor, tenantUserId: run.actsAs } }, asked)
}

/** The same, of a step that goes on without an answer. */
export async function settleQuestion(services: Services, { order, run }: OpenStep): Promise<void> {
  const { tenantId, runId, no } = order
  await inSystemTransaction(services, tenantId, async (context) => {
    await lockRun(context.tx, tenantId, runId)
    await withdrawQuestion(context, run, no)
  })
}

interface Read {
  readonly people: AskedPerson[]
  readonly by?: { readonly person: AskedPerson; readonly reply: Reply; readonly choice: string | null; readonly label: string | undefined }
}

/** Reads the replies in their order up to the first that answers; who is not understood is asked again, once. */
async function read(context: TxContext, asked: Asked): Promise<Read> {
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
    const { choices, text, assetKeys } = reply
    const language = await languageOf(context, reply.tenantUserId)
    const choice = reply.choice ?? (choices ? (understood(text, choices, language) ?? null) : null)
    const isAnswer = choices ? choice !== null : text.trim() !== '' || assetKeys.length > 0
    if (isAnswer) return { people, by: { person: seen, reply, choice, label: choices?.find(({ key }) => key === choice)?.label } }
    if (seen.isAskedAgain || !choices) continue
    await sayIn(context, reply.conversationId, { text: againText(language), card: { choices } })
    people[index] = { ...seen, isAskedAgain: true }
  }
  return { people }
}

/** Takes what came in. `answered`: the step has its answer; else whom it asks, and who of them our latest message did not reach. */
export async function takeReplies(
  services: Services,
  { order, run }: OpenStep,
): Promise<{ readonly kind: 'answered' } | { readonly kind: 'waiting'; readonly asked: Asked; readonly unreached: readonly number[] }> {
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
      const { people, by } = await read(context, asked)
      const now = { ...asked, people }
      await setAsked(tx, tenantId, runId, no, now)
      if (by) {
        const { reply, choice } = by
        const { text, assetKeys, tenantUserId, address, at } = reply
        const said = { text, choice, assetKeys, ...(tenantUserId === null ? { address } : {}) }
        const answer: Answer = { kind: 'replied', by: tenantUserId, at, reply: said }
        await answerStep(tx, tenantId, runId, no, answer)
        await addStepLine(tx, tenantId, runId, stamp, { event: 'acted', row, by: tenantUserId, output: { choice, text } })
        await close(context, now, by)
        return { kind: 'answered' as const }
      }
      const latest = people.flatMap(({ conversations }) => conversations.at(-1) ?? [])
      const lost = new Set(
        (await listAsked(context, latest))
          .filter(({ status }) => status === 'failed' || status === 'suppressed')
          .map(({ conversationId }) => conversationId),
      )
      const unreached = people.flatMap(({ conversations }, index) => (lost.has(conversations.at(-1)?.conversationId ?? 0) ? [index] : []))
      return { kind: 'waiting' as const, asked: now, unreached }
    },
    { tenantUserId: run.actsAs },
  )
}
