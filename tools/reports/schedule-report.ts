import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { allows, parseRoles } from '#platform/roles.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { type Recipient, recipient } from '#tools/messaging/messaging.schema.ts'
import { maxEveryMinutes, schedulesOf, turnOn, whyNoCron } from '#tools/schedules/service.ts'
import { findUser, listUserPlaces } from '#tools/users/service.ts'

import { deliveryRoles } from './delivering.ts'
import { keptParams, reportSchedule, reportSlot } from './reports.schema.ts'
import { prepareRun } from './running.ts'
import { type Delivery, minutesOf, reportDeliveryKind, shownSchedule } from './schedule.rules.ts'
import { soundReport } from './shown.ts'

const maxRecipients = 50

function refuse(path: string, message: string): AppError {
  return new AppError('invalid_input', message, { issues: [finding(path, message)] })
}

/** When it is due: a cron expression in a zone, the caller's unless told, or an interval. */
async function timingOf(
  context: TxContext,
  asked: { cron?: string | undefined; timeZone?: string | undefined; every?: string | undefined },
) {
  const { tx, tenantId, actor, stamp } = context
  const { cron, every } = asked
  if ((cron === undefined) === (every === undefined)) throw refuse('$.cron', 'Say when: either cron ("0 7 * * 1-5") or every ("P1D").')
  if (cron === undefined) {
    const everyMinutes = minutesOf(every ?? '')
    if (everyMinutes === undefined || everyMinutes > maxEveryMinutes)
      throw refuse('$.every', 'Expected a duration of whole minutes from PT1M to P366D, such as PT30M or P1D.')
    return { everyMinutes }
  }
  const timeZone = asked.timeZone ?? (await findUser(tx, tenantId, actor.tenantUserId))?.timeZoneIana ?? 'UTC'
  const why = whyNoCron({ cron, timeZone }, Date.parse(stamp))
  if (why !== undefined) throw refuse(why.includes('time zone') ? '$.timeZone' : '$.cron', why)
  return { cron, timeZone }
}

async function checkRecipients({ tx, tenantId }: TxContext, to: readonly Recipient[]): Promise<void> {
  const ids = to.flatMap(({ tenantUserId }) => tenantUserId ?? [])
  const known = new Set((await listUserPlaces(tx, tenantId, ids)).map(({ tenantUserId }) => tenantUserId))
  for (const [index, one] of to.entries()) {
    const path = `$.to[${index}]`
    if (Object.keys(one).length !== 1) throw refuse(path, 'Name exactly one of tenantUserId, phone, email and eiRecordId.')
    if (one.tenantUserId !== undefined && !known.has(one.tenantUserId))
      throw refuse(`${path}.tenantUserId`, `There is no user ${one.tenantUserId}.`)
  }
}

export const scheduleReport = defineOperation({
  ...writes(reportSchedule),
  isIdempotent: true,
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'schedule_report',
  title: 'Deliver a report on a schedule',
  description:
    'Runs a report at times, with your rights, and sends its file to each recipient once, in their zone and language; without recipients it is an asset of yours. Each is a job of the kind reportDelivery (list_jobs). One schedule of a report for each user; again replaces it, unschedule_report ends it.',
  method: 'POST',
  path: '/api/v1/reports/{report}/schedule',
  roles: 'DataEdit',
  input: z.object({
    report: reportSlot,
    cron: z.string().max(120).optional().describe('Minute, hour, day of month, month, day of week: 0 7 * * 1-5'),
    timeZone: z.string().max(64).optional().describe('Of cron, such as Europe/Madrid; yours unless told'),
    every: z.string().max(40).optional().describe('Instead of cron, from now on: PT1H, P1D'),
    params: keptParams.optional().describe('Values of its parameters, by name'),
    format: format.optional().describe('xlsx unless told'),
    to: z.array(recipient).max(maxRecipients).optional().describe('As in send_message'),
    channel: z.string().min(1).max(64).optional().describe('As in send_message'),
    text: z.string().min(1).max(1_000).optional().describe('Before the name of the report, in the message'),
    onlyWhenRows: z.boolean().optional().describe('No message where the report is empty; true unless told'),
  }),
  examples: [
    {
      title: 'On weekdays at seven',
      input: { report: 'HoursByStatus', cron: '0 7 * * 1-5', timeZone: 'Europe/Madrid', to: [{ tenantUserId: 12 }] },
      output: {
        reportDefinitionId: 10_140,
        cron: '0 7 * * 1-5',
        timeZone: 'Europe/Madrid',
        every: null,
        format: 'xlsx',
        params: {},
        to: [{ tenantUserId: 12 }],
        channel: null,
        text: null,
        onlyWhenRows: true,
        nextDate: '2026-11-23T06:00:00.000Z',
        stoppedReason: null,
      },
    },
  ],
  async handler(context, input) {
    if (!allows(parseRoles(deliveryRoles), context.actor.roleFlag))
      throw new AppError('forbidden', 'The report is read in your name, which needs the role DataView too.')
    const catalog = await cachedCatalog(context)
    const sound = await soundReport(context, catalog, input.report)
    // What could not be run now could not be run then.
    await prepareRun(context, catalog, sound, input)
    const { definitionId } = sound.row
    const { params, channel, text, to = [], format: written = 'xlsx', onlyWhenRows = true } = input
    await checkRecipients(context, to)
    const delivery: Delivery = { format: written, params, to, channel, text, onlyWhenRows }
    const of = { kind: reportDeliveryKind, part: String(context.actor.tenantUserId) }
    await turnOn(context, { ...of, definitionId }, await timingOf(context, input), delivery)
    const schedule = (await schedulesOf(context, of, [definitionId])).get(definitionId)
    if (!schedule) throw new Error('A schedule that was turned on is not there')
    context.audit({ definitionId, recipients: to.length })
    return shownSchedule(definitionId, schedule)
  },
})
