import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { printInstant } from '#platform/tokens/zoned.ts'
import {
  after,
  type Answer,
  type Asked,
  type AskedPerson,
  changeQuestion,
  findQuestion,
  isObject,
  judgeReply,
  keepQuestion,
  listIn,
  type Said,
  settleQuestion,
  takeReplies,
} from '#tools/workflows/service.ts'

import { receiversOf } from './receivers.ts'
import type { Perform, StepContext, StepEnd } from './step.types.ts'
import { dueOf, overdueEnd } from './tasks.ts'

interface Sent {
  readonly conversationId: number
  readonly seq: number
}

/** The question as send_message takes it. */
function messageOf({ config }: StepContext): Said {
  const { text, template, params, card, choices } = config
  const shown = { ...(isObject(card) ? card : {}), ...(choices === undefined ? {} : { choices }) }
  return {
    ...(text === undefined ? {} : { text }),
    ...(template === undefined ? {} : { template }),
    ...(params === undefined ? {} : { params }),
    ...(Object.keys(shown).length > 0 ? { card: shown } : {}),
  }
}

/** Sends once, however often it is tried. */
async function send({ services, who, open, signal }: StepContext, key: string, message: Said): Promise<Sent> {
  const answer = await runAs(services, who, 'send_message', message, { key: `${open.row.effectNo}:ask:${key}`, signal })
  // send_message answers the ids of what it sent.
  return answer as Sent
}

const wasRefused = (error: unknown): error is AppError =>
  error instanceof AppError && ['invalid_input', 'conflict', 'unprocessable', 'not_found'].includes(error.code)

const aboutOf = ({ open }: StepContext) => (open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId })

/** Where the question goes on by itself once it does not arrive, or nobody reads it. */
function fallbackOf({ config }: StepContext, channels: readonly unknown[]): Said {
  const { fallbackAfter } = config
  return channels.length === 0 ? {} : { fallback: channels, ...(fallbackAfter === undefined ? {} : { fallbackAfter }) }
}

/** Asks one of them, over the first of the channels that takes the question. */
async function askOne(step: StepContext, to: Said, index: number): Promise<AskedPerson | AppError> {
  const { channel } = step.config
  const others = listIn(step.config['fallback'])
  let refusal: AppError | undefined
  for (const [at, one] of [channel, ...others].entries()) {
    const over = { ...(one === undefined ? {} : { channel: one }), ...fallbackOf(step, others.slice(at)) }
    try {
      const { conversationId, seq } = await send(step, at === 0 ? String(index) : `${index}:over:${at - 1}`, {
        ...messageOf(step),
        ...aboutOf(step),
        ...over,
        to,
      })
      return { to, conversations: [{ conversationId, afterSeq: seq }], isAskedAgain: false }
    } catch (error) {
      if (!wasRefused(error)) throw error
      refusal ??= error
    }
  }
  return refusal ?? new AppError('unprocessable', 'Nobody is found to ask.')
}

/** When each reminder goes out: each after the one before it. */
async function remindersOf({ config, open, scope }: StepContext): Promise<readonly number[]> {
  const times: number[] = []
  for (const duration of listIn(config['reminders'])) {
    const at = after(times.at(-1) ?? Date.parse(open.row.begunAt), duration, (await scope()).timeZone)
    if (at === undefined) throw new AppError('unprocessable', 'A reminder is a duration, such as PT4H.')
    times.push(at)
  }
  return times
}

const earliest = (...times: readonly (number | undefined)[]) => {
  const known = times.filter((one) => one !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

async function begin(step: StepContext): Promise<StepEnd> {
  const { open } = step
  const all: (AskedPerson | AppError)[] = []
  for (const [index, to] of (await receiversOf(step)).entries()) all.push(await askOne(step, to, index))
  const people = all.flatMap((one) => (one instanceof AppError ? [] : [one]))
  const refused = all.find((one) => one instanceof AppError)
  if (people.length === 0) throw refused ?? new AppError('unprocessable', 'Nobody is found to ask.')
  const asked: Asked = { people, reminded: 0 }
  const [reminder] = await remindersOf(step)
  const dueAt = await dueOf(step)
  return {
    kind: 'waiting',
    wait: { dueAt, wakeAt: reminder === undefined ? null : printInstant(reminder) },
    untilMs: earliest(reminder, dueAt === null ? undefined : Date.parse(dueAt)),
    begin: (context) => keepQuestion(context, open, asked),
  }
}

/** The question once more, where it was asked last; a conversation that somebody ended is begun anew. */
async function remind(step: StepContext, person: AskedPerson, key: string): Promise<AskedPerson> {
  const latest = person.conversations.at(-1)
  if (!latest) return person
  const { conversationId } = latest
  try {
    await send(step, key, { ...messageOf(step), conversationId, ...fallbackOf(step, listIn(step.config['fallback'])) })
    return person
  } catch (error) {
    if (!wasRefused(error)) throw error
    const again = await askOne(step, person.to, -1 - conversationId)
    return again instanceof AppError ? person : { ...person, conversations: [...person.conversations, ...again.conversations] }
  }
}

/** The reminder that is due. */
async function goOn(step: StepContext, asked: Asked, times: readonly number[]): Promise<Asked> {
  const { services, open } = step
  const at = times[asked.reminded]
  if (at === undefined || at > Date.now()) return asked
  const people: AskedPerson[] = []
  for (const [index, person] of asked.people.entries()) people.push(await remind(step, person, `${index}:remind:${asked.reminded}`))
  const next = { people, reminded: asked.reminded + 1 }
  await changeQuestion(services, open, next)
  return next
}

function replied({ reply, by, at }: Answer): StepEnd {
  const result = {
    text: reply?.text ?? '',
    choice: reply?.choice ?? null,
    assetKeys: reply?.assetKeys ?? [],
    by: by ?? reply?.address ?? null,
    at,
  }
  return { kind: 'done', result, by }
}

/** Asks everybody who is meant; the first answer counts, and the others are told. */
export const ask: Perform = async (step) => {
  const { services, open } = step
  if (open.row.answer) return replied(open.row.answer)
  if (!(await findQuestion(services, open))) return begin(step)
  const taken = await takeReplies(services, open, judgeReply)
  // Read anew, the step has its answer.
  if (taken.kind === 'answered') return { kind: 'recorded' }
  const times = await remindersOf(step)
  const { reminded } = await goOn(step, taken.asked, times)
  const { end, untilMs } = await overdueEnd(step)
  if (end) {
    await settleQuestion(services, open)
    return end
  }
  return { kind: 'waiting', wait: {}, untilMs: earliest(times[reminded], untilMs) }
}
