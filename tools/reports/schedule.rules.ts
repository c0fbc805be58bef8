/** What the schedule of a report says, on the wire and as it is kept. */
import { z } from 'zod'

import { readDuration } from '#platform/tokens/zoned.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { type Recipient, recipient } from '#tools/messaging/messaging.schema.ts'
import type { Schedule } from '#tools/schedules/service.ts'

export const reportDeliveryKind = 'reportDelivery'

const minuteMs = 60_000
const minutesOfDay = 1_440

/** What a schedule keeps for its deliveries. */
export const deliveryInput = z.object({
  format,
  params: z.record(z.string(), z.unknown()).optional(),
  to: z.array(recipient),
  channel: z.string().optional(),
  text: z.string().optional(),
  onlyWhenRows: z.boolean(),
})
export type Delivery = z.infer<typeof deliveryInput>

/** Whole minutes of an ISO 8601 duration, `PT30M` or `P1D`; undefined where it has none, or months, whose length differs. */
export function minutesOf(every: string): number | undefined {
  const duration = readDuration(every)
  if (!duration || duration.months !== 0) return undefined
  const minutes = duration.days * minutesOfDay + duration.ms / minuteMs
  return Number.isInteger(minutes) && minutes >= 1 ? minutes : undefined
}

/** As ISO 8601. */
export function durationOf(minutes: number): string {
  if (minutes % minutesOfDay === 0) return `P${minutes / minutesOfDay}D`
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`
}

/** The schedule as its owner is shown it. */
export function shownSchedule(reportDefinitionId: number, { timing, input, nextDue, stoppedReason }: Schedule) {
  const { format: written, params, to, channel, text, onlyWhenRows } = deliveryInput.parse(input)
  const isCron = 'cron' in timing
  return {
    reportDefinitionId,
    cron: isCron ? timing.cron : null,
    timeZone: isCron ? timing.timeZone : null,
    every: isCron ? null : durationOf(timing.everyMinutes),
    format: written,
    params: params ?? {},
    to,
    channel: channel ?? null,
    text: text ?? null,
    onlyWhenRows,
    nextDate: nextDue,
    stoppedReason,
  }
}

export interface Place {
  readonly timeZoneIana: string
  readonly languageCode: string
}

/** Recipients who share a zone and a language share a file. */
export const placeKey = ({ timeZoneIana, languageCode }: Place) => `${timeZoneIana} ${languageCode}`

const words = {
  en: { rows: 'Rows', at: 'As of' },
  de: { rows: 'Zeilen', at: 'Stand' },
  fr: { rows: 'Lignes', at: 'État au' },
  es: { rows: 'Filas', at: 'A fecha de' },
} as const

const isSpoken = (language: string): language is keyof typeof words => Object.hasOwn(words, language)

/** What stands beside the file, in the language of whom it is for. */
export function deliveryText(
  { name, rows, at, text }: { readonly name: string; readonly rows: number; readonly at: string; readonly text: string | undefined },
  { timeZoneIana, languageCode }: Place,
): string {
  const language = languageCode.slice(0, 2)
  const said = words[isSpoken(language) ? language : 'en']
  const time = new Intl.DateTimeFormat(languageCode, { dateStyle: 'long', timeStyle: 'short', timeZone: timeZoneIana }).format(new Date(at))
  const count = new Intl.NumberFormat(languageCode).format(rows)
  return `${text === undefined ? '' : `${text}\n\n`}${name}\n${said.rows}: ${count}\n${said.at}: ${time}`
}

/** Of a recipient, for the log of the job: nobody's address. */
export function whoIs({ tenantUserId, eiRecordId }: Recipient, index: number): string {
  if (tenantUserId !== undefined) return `user ${tenantUserId}`
  return eiRecordId === undefined ? `recipient ${index + 1}` : `record ${eiRecordId}`
}
