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
  textIn,
} from '#tools/workflows/service.ts'

import { receiversOf } from './receivers.ts'
import type { Perform, StepContext, StepEnd } from './step.types.ts'
import { dueOf, overdueEnd } from './tasks.ts'

interface Sent {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly status: string
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

const openedBy = ({ conversationId, messageId, seq }: Sent) => ({ conversationId, messageId, afterSeq: seq })

const otherChannels = ({ config }: StepContext) => listIn(config['fallback']).flatMap((one) => textIn(one) ?? [])

/** The same question over the next of the other channels on which it can be sent; where there is none, they are used up. */
async function overNext(step: StepContext, person: AskedPerson, index: number): Promise<AskedPerson> {
  const { open } = step
  const channels = otherChannels(step)
  let { conversations } = person
  const about = open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId }
  for (let at = person.fallbacks; at < channels.length; at++) {
    try {
      const sent = await send(step, `${index}:over:${at}`, { ...messageOf(step), ...about, to: person.to, channel: channels[at] })
      conversations = [...conversations, openedBy(sent)]
      if (sent.status !== 'suppressed') return { ...person, fallbacks: at + 1, conversations }
    } catch (error) {
      if (!wasRefused(error)) throw error
    }
  }
  return { ...person, fallbacks: channels.length, conversations }
}

/** Asks one of them; who cannot be reached on one channel is asked on the next. */
async function askOne(step: StepContext, to: Said, index: number): Promise<AskedPerson | AppError> {
  const { open, config } = step
  const { channel } = config
  const about = open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId }
  const nobody: AskedPerson = { to, conversations: [], fallbacks: 0, isAskedAgain: false }
  try {
    const sent = await send(step, String(index), { ...messageOf(step), ...about, to, ...(channel === undefined ? {} : { channel }) })
    const person = { ...nobody, conversations: [openedBy(sent)] }
    return sent.status === 'suppressed' ? await overNext(step, person, index) : person
  } catch (error) {
    if (!wasRefused(error)) throw error
    const other = await overNext(step, nobody, index)
    return other.conversations.length > 0 ? other : error
  }
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
  try {
    const { messageId } = await send(step, key, { ...messageOf(step), conversationId: latest.conversationId })
    return { ...person, conversations: [...person.conversations.slice(0, -1), { ...latest, messageId }] }
  } catch (error) {
    if (!wasRefused(error)) throw error
    const again = await askOne(step, person.to, -1 - latest.conversationId)
    return again instanceof AppError ? person : { ...person, conversations: [...person.conversations, ...again.conversations] }
  }
}

/** Reminders that are due, and other channels for whom the last one did not reach. */
async function goOn(step: StepContext, asked: Asked, unreached: readonly number[], times: readonly number[]): Promise<Asked> {
  const { services, open } = step
  const at = times[asked.reminded]
  const isDue = at !== undefined && at <= Date.now()
  const left = otherChannels(step).length
  const isMoved = (person: AskedPerson, index: number) => unreached.includes(index) && person.fallbacks < left
  if (!isDue && !asked.people.some(isMoved)) return asked
  const people: AskedPerson[] = []
  for (const [index, person] of asked.people.entries()) {
    if (isMoved(person, index)) people.push(await overNext(step, person, index))
    else people.push(isDue ? await remind(step, person, `${index}:remind:${asked.reminded}`) : person)
  }
  const next = { people, reminded: asked.reminded + (isDue ? 1 : 0) }
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
  const { reminded } = await goOn(step, taken.asked, taken.unreached, times)
  const { end, untilMs } = await overdueEnd(step)
  if (end) {
    await settleQuestion(services, open)
    return end
  }
  return { kind: 'waiting', wait: {}, untilMs: earliest(times[reminded], untilMs) }
}
