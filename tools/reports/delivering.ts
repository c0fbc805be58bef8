/** Deliveries of reports: one due time is one job, which writes a file for each zone and language and sends it to each recipient once. */
import { z } from 'zod'

import { runAs } from '#platform/acting.ts'
import { AppError, errorCatalogue } from '#platform/errors.ts'
import type { Actor, TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { type Exported, starterOf, writeInJob } from '#tools/exports/service.ts'
import { advanceJob, finishJob, type JobRunner, type NewLogLine, queueJob, type RunningJob } from '#tools/jobs/service.ts'
import type { Recipient } from '#tools/messaging/messaging.schema.ts'
import { wordAs } from '#tools/messaging/service.ts'
import { keepFile, type ScheduleKind } from '#tools/schedules/service.ts'
import { listUserPlaces } from '#tools/users/service.ts'

import { planExport } from './exporting.ts'
import { type Delivery, deliveryInput, deliveryText, type Place, placeKey, reportDeliveryKind, whoIs } from './schedule.rules.ts'
import { placeOfReports } from './shown.ts'

export const deliveryRoles = 'DataEdit&DataView'

const jobInput = deliveryInput.extend({ reportId: z.int(), scheduleId: z.int(), dueAt: z.string(), roleFlag: z.int() })

/** Queues the delivery of one due time. */
export const reportDelivery: ScheduleKind = {
  needs: deliveryRoles,
  async queue(context, { definitionId, scheduleId, dueAt, input }) {
    // A report that its subscriber does not see any more is not delivered any more.
    await mustFindDefinition(context, placeOfReports, definitionId)
    const delivery = deliveryInput.parse(input)
    const asked: z.infer<typeof jobInput> = { ...delivery, reportId: definitionId, scheduleId, dueAt, roleFlag: context.actor.roleFlag }
    return queueJob(context, {
      kind: reportDeliveryKind,
      operation: 'schedule_report',
      requiredRoles: deliveryRoles,
      input: asked,
      total: delivery.to.length,
    })
  },
}

const filePosition = z.object({ assetKey: z.string(), rows: z.int(), name: z.string() })
/** How far a delivery has come: the files so far by zone and language, and which recipient is next. */
const position = z.object({ files: z.record(z.string(), filePosition), next: z.int(), sent: z.int(), failed: z.int() })
type Position = z.infer<typeof position>

const begin: Position = { files: {}, next: 0, sent: 0, failed: 0 }

/** In which zone and language each recipient reads; a stranger in the subscriber's. The last is the subscriber's own. */
async function placesOf({ tx, tenantId }: TxContext, { to }: Delivery, owner: Actor): Promise<readonly Place[]> {
  const ids = [...to.map(({ tenantUserId }) => tenantUserId ?? owner.tenantUserId), owner.tenantUserId]
  const known = new Map((await listUserPlaces(tx, tenantId, ids)).map((one) => [one.tenantUserId, one]))
  const own = known.get(owner.tenantUserId) ?? { timeZoneIana: 'UTC', languageCode: 'en-US' }
  return ids.map((id) => known.get(id) ?? own)
}

export const reportDeliveryRunner: JobRunner = {
  async step(services, job, signal) {
    const { reportId, scheduleId, dueAt, roleFlag, ...delivery } = jobInput.parse(job.input)
    const owner = await starterOf(services, job, roleFlag)
    const here = job.position === null ? begin : position.parse(job.position)
    const to = delivery.to[here.next]
    const asOwner = <T>(work: (context: TxContext) => Promise<T>) =>
      inSystemTransaction(services, job.tenantId, (context) => work({ ...context, actor: owner }), { tenantUserId: owner.tenantUserId })
    // Without recipients it is an asset of the subscriber's.
    if (to === undefined && (here.next > 0 || Object.keys(here.files).length > 0)) return finish(services, job, here)
    const places = await asOwner((context) => placesOf(context, delivery, owner))
    const place = places[to === undefined ? delivery.to.length : here.next]
    if (!place) throw new Error('A recipient reads nowhere')
    const file = here.files[placeKey(place)]
    if (!file) {
      await writeFile(services, job, here, signal, { reportId, owner, place, delivery })
      return 'more'
    }
    if (to === undefined) return finish(services, job, here)
    const isSilent = delivery.onlyWhenRows && file.rows === 0
    const problem = isSilent
      ? undefined
      : await send(services, job, { to, owner, scheduleId, delivery, file, place, dueAt, index: here.next })
    const log: NewLogLine[] = problem === undefined ? [] : [{ level: 'warning', message: `${whoIs(to, here.next)}: ${problem}` }]
    const after = {
      ...here,
      next: here.next + 1,
      sent: here.sent + (isSilent || problem !== undefined ? 0 : 1),
      failed: here.failed + (problem === undefined ? 0 : 1),
    }
    await asOwner((context) => advanceJob(context, job, { done: after.next, position: after, log }))
    return 'more'
  },
}

interface Writing {
  readonly reportId: number
  readonly owner: Actor
  readonly place: Place
  readonly delivery: Delivery
}

/** Writes the file of a zone and language. One that was stored and not noted is swept: the transaction that shows it notes it. */
async function writeFile(services: Services, job: RunningJob, here: Position, signal: AbortSignal, of: Writing): Promise<void> {
  const { reportId, owner, place, delivery } = of
  const plan = (context: TxContext) => planExport(context, reportId, delivery.params)
  const { title, ...file } = await inSystemTransaction(services, job.tenantId, async (context) => {
    const { name, isSensitive, content } = await plan({ ...context, actor: owner, shownIn: place })
    return { name, isSensitive, title: content.name }
  })
  await writeInJob(services, job, owner, signal, {
    ...file,
    format: delivery.format,
    plan,
    shownIn: place,
    async onStored(context, done: Exported) {
      const files = { ...here.files, [placeKey(place)]: { ...done, name: title } }
      const of = { kind: reportDeliveryKind, definitionId: reportId, part: String(owner.tenantUserId) }
      await keepFile(context, of, done.assetKey, Object.keys(files).length)
      await advanceJob(context, job, { position: { ...here, files } })
    },
  })
}

interface Sending {
  readonly to: Recipient
  readonly owner: Actor
  readonly scheduleId: number
  readonly delivery: Delivery
  readonly file: z.infer<typeof filePosition>
  readonly place: Place
  readonly dueAt: string
  readonly index: number
}

/** Sends it as the subscriber does; a second time under the same key is the first. Answers why it cannot be sent, where trying again would not help. */
async function send(services: Services, job: RunningJob, sending: Sending): Promise<string | undefined> {
  const { to, owner, scheduleId, delivery, file, place, dueAt, index } = sending
  const who = {
    tenantId: job.tenantId,
    tenantUserId: owner.tenantUserId,
    roleFlag: owner.roleFlag,
    origin: { kind: 'schedule', id: scheduleId, depth: job.depth },
  } as const
  const text = deliveryText({ name: file.name, rows: file.rows, at: dueAt, text: delivery.text }, place)
  const { channel } = delivery
  try {
    await runAs(
      services,
      who,
      'send_message',
      { to, text, assetKeys: [file.assetKey], ...(channel === undefined ? {} : { channel }) },
      {
        key: `${job.jobId}:${index}`,
        commitWith: (tx, answer) => wordAs(tx, job.tenantId, answer, { type: 'reportDelivery', title: file.name }),
      },
    )
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal' && !errorCatalogue[error.code].retryable) return error.message
    throw error
  }
}

async function finish(services: Services, job: RunningJob, { files, sent, failed }: Position): Promise<'done'> {
  const [first] = Object.values(files)
  await inSystemTransaction(services, job.tenantId, (context) =>
    finishJob(context, job, {
      state: failed > 0 ? 'partly' : 'succeeded',
      result: { ...(first ? { assetKey: first.assetKey, rows: first.rows } : {}), sent, failed },
    }),
  )
  return 'done'
}
