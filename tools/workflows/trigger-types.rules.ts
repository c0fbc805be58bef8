/** What a workflow or a pack may fire on, each with its config and what `$trigger` holds then. */
import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { findPatternFault } from '#platform/patterns.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { isTimeZone, readDuration } from '#platform/tokens/zoned.ts'
import type { Shape, Shapes } from '#platform/tokens/shape.ts'
import { whyNoCron } from '#tools/schedules/service.ts'

import { assignee, duration, inputFields } from './definition/grammar.schema.ts'
import { anyValue, list, numberValue, oneOf, textValue, timeValue } from './shapes.rules.ts'
import type { NameUse, StepConfig } from './step-type.types.ts'

export interface TriggerType {
  readonly triggerTypeId: number
  readonly internalName: string
  readonly description: string
  readonly config: z.ZodObject
  /** What `$trigger` holds; `record` is the shape of the trigger's records. */
  readonly payload: (record: Shape) => Shapes
  /** By the path of the field in the config, with dots. */
  readonly names: Readonly<Record<string, NameUse>>
  /** The field of the config that names the entity whose records it fires on, and which its filter is about. */
  readonly ofEntity?: string
  /** A moment to look from comes from the caller. */
  readonly check?: (
    config: StepConfig,
    now: number,
  ) => readonly { readonly field: string; readonly message: string; readonly suggestion?: string | undefined }[]
  readonly example: StepConfig
}

const properties = z.array(z.string().min(1).max(64)).max(300)

/** Of a change of records: of one record, or with `perRecord: false` of a batch. */
const ofChange = (record: Shape): Shapes => ({
  eiRecordId: numberValue,
  before: record,
  after: record,
  changed: list(textValue),
  by: anyValue,
  eiRecordIds: list(numberValue),
  count: numberValue,
  restored: { kind: 'scalar', type: 'boolean' },
})

const ofRecords = {
  config: z.strictObject({
    entity: idOrName,
    properties: properties.optional(),
    perRecord: z.boolean().optional(),
    ownChanges: z.boolean().optional(),
    // Of a wait: the record that it is about.
    eiRecordId: z.unknown().optional(),
  }),
  payload: ofChange,
  names: { entity: 'entity', properties: { propertyOf: 'entity' } },
  ofEntity: 'entity',
} as const

/** Assignees that one trigger names; a role or people are many. */
const maxPeople = 20

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM')
const leastIntervalMs = 60_000

/** Shorter than a minute; months and years are longer. */
function isTooShort(said: unknown): boolean {
  const read = readDuration(said)
  if (!read) return false
  const { months, days, ms } = read
  return months <= 0 && days * 86_400_000 + ms < leastIntervalMs
}

const endsOfJobs = ['succeeded', 'partly', 'failed', 'cancelled']

/** In what states each of what is watched is told to be over. */
const endsOf: Readonly<Record<string, readonly string[]>> = {
  workflow: ['completed', 'failed', 'cancelled'],
  step: ['done', 'failed'],
  actionPack: endsOfJobs,
  job: endsOfJobs,
  import: endsOfJobs,
  sync: endsOfJobs,
}

function findUnknownStates(of: string, states: unknown) {
  const ends = endsOf[of] ?? []
  if (!Array.isArray(states)) return []
  return states.flatMap((state: unknown, index) =>
    typeof state === 'string' && !ends.includes(state)
      ? [
          {
            field: `states[${index}]`,
            message: `Of ${of} nothing ends as ${quoted(state)}. One of ${ends.join(', ')}.`,
            suggestion: nearest(state, ends),
          },
        ]
      : [],
  )
}

const header = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'The name of a header')

export const triggerTypes: readonly TriggerType[] = [
  {
    triggerTypeId: 1,
    internalName: 'recordCreated',
    description: 'A record was made, or restored.',
    ...ofRecords,
    example: { entity: 'Defect' },
  },
  {
    triggerTypeId: 2,
    internalName: 'recordUpdated',
    description: 'A record was changed; with properties, any of these.',
    ...ofRecords,
    example: { entity: 'Inspection', properties: ['Status'] },
  },
  {
    triggerTypeId: 3,
    internalName: 'recordDeleted',
    description: 'A record was deleted; its filter asks the last version.',
    ...ofRecords,
    example: { entity: 'Inspection' },
  },
  {
    triggerTypeId: 4,
    internalName: 'formSubmitted',
    description: 'A form was submitted.',
    config: z.strictObject({ form: idOrName, eiRecordId: z.unknown().optional() }),
    payload: () => ({ eiRecordId: numberValue, form: textValue, values: anyValue, by: anyValue }),
    names: { form: 'form' },
    example: { form: 'InspectionForm' },
  },
  {
    triggerTypeId: 5,
    internalName: 'attachmentSaved',
    description: 'A file was saved into a property, or its analysis is done.',
    config: z.strictObject({
      entity: idOrName,
      property: z.string().min(1).max(64),
      when: z.enum(['saved', 'analysed']),
      eiRecordId: z.unknown().optional(),
    }),
    payload: () => ({ eiRecordId: numberValue, assetKey: textValue, analysis: anyValue }),
    names: { entity: 'entity', property: { propertyOf: 'entity', types: ['Attachment', 'Signature', 'Binary'] } },
    ofEntity: 'entity',
    example: { entity: 'Inspection', property: 'Photo', when: 'analysed' },
  },
  {
    triggerTypeId: 6,
    internalName: 'schedule',
    description:
      'A time came: by cron, every so often, at an offset from a date of each record, or at an hour of the day of each of people.',
    config: z.strictObject({
      cron: z.string().min(9).max(120).optional(),
      timeZone: z.string().min(1).max(64).optional(),
      every: duration.optional(),
      entity: idOrName.optional(),
      property: z.string().min(1).max(64).optional(),
      offset: duration.optional(),
      at: clock.optional(),
      people: z
        .array(assignee)
        .min(1)
        .max(maxPeople)
        .optional()
        .describe('Assignees: each has a run once a day, at this hour where they are'),
      eiRecordId: z.unknown().optional(),
    }),
    payload: () => ({
      scheduledFor: timeValue,
      eiRecordId: numberValue,
      tenantUserId: numberValue,
      timeZone: textValue,
      languageCode: textValue,
    }),
    names: {
      every: 'duration',
      entity: 'entity',
      property: { propertyOf: 'entity', types: ['DateTime', 'DateOnly'] },
      offset: 'duration',
      people: 'assignee',
    },
    ofEntity: 'entity',
    check: (config, now) => {
      const { cron, timeZone, every, entity, people, at } = config
      const problems = oneOf({ cron, every, entity, people }, ['cron', 'every', 'entity', 'people'])
      const isZone = typeof timeZone === 'string' && isTimeZone(timeZone)
      const why = typeof cron === 'string' ? whyNoCron({ cron, timeZone: isZone ? timeZone : 'UTC' }, now) : undefined
      return [
        ...problems,
        ...(timeZone === undefined || isZone
          ? []
          : [{ field: 'timeZone', message: `There is no time zone ${quoted(timeZone)}. list_time_zones shows them.` }]),
        ...(why === undefined ? [] : [{ field: 'cron', message: why }]),
        ...(typeof cron === 'string' && timeZone === undefined
          ? [{ field: 'timeZone', message: 'The zone whose clock the cron expression goes by.' }]
          : []),
        ...(people !== undefined && at === undefined ? [{ field: 'at', message: 'Needed beside people: the hour of their day.' }] : []),
        ...(people !== undefined && timeZone !== undefined
          ? [{ field: 'timeZone', message: 'Each of people has a zone of their own: leave it out.' }]
          : []),
        ...(isTooShort(every) ? [{ field: 'every', message: 'At least PT1M.' }] : []),
        ...((readDuration(every)?.months ?? 0) > 0
          ? [{ field: 'every', message: 'Months and years are not of one length: say them with cron.' }]
          : []),
        ...(entity === undefined
          ? []
          : ['property', 'offset']
              .filter((field) => config[field] === undefined)
              .map((field) => ({ field, message: 'Needed beside entity: the date, and how long after it (before: -P1D).' }))),
      ]
    },
    example: { cron: '0 7 * * 1-5', timeZone: 'Europe/Madrid' },
  },
  {
    triggerTypeId: 7,
    internalName: 'webhookReceived',
    description: 'Somebody outside called the address of the trigger, signed.',
    config: z.strictObject({
      scheme: z.enum(['standardWebhooks', 'header', 'hmac']),
      name: header.optional(),
      header: header.optional(),
      algorithm: z.enum(['sha256', 'sha1']).optional(),
      encoding: z.enum(['hex', 'base64']).optional(),
      prefix: z.string().max(40).optional(),
      idHeader: header.optional(),
      // Taken out and sealed before a definition is kept.
      secret: z.string().max(500).optional().describe('Yours, of 16 to 500 characters; else one is made and shown once'),
      respond: z.enum(['received', 'result']).optional(),
    }),
    payload: () => ({ headers: anyValue, body: anyValue }),
    names: {},
    check: ({ scheme, name, header: of, algorithm, encoding }) => {
      const need = (field: string, said: unknown) =>
        said === undefined ? [{ field, message: `Needed with the scheme ${String(scheme)}.` }] : []
      if (scheme === 'header') return need('name', name)
      return scheme === 'hmac' ? [...need('header', of), ...need('algorithm', algorithm), ...need('encoding', encoding)] : []
    },
    example: { scheme: 'standardWebhooks' },
  },
  {
    triggerTypeId: 8,
    internalName: 'messageReceived',
    description: 'A message came in, outside of conversations that run unless told.',
    config: z.strictObject({
      channel: z.string().min(1).max(64).optional(),
      keyword: z.string().min(1).max(100).optional(),
      matches: z.string().min(1).max(500).optional(),
      onlyOutsideConversations: z.boolean().optional(),
      eiRecordId: z.unknown().optional(),
    }),
    payload: () => ({ conversationId: numberValue, from: textValue, text: textValue, assetKeys: list(textValue) }),
    names: { channel: 'channel' },
    check: ({ keyword, matches }) => [
      ...(keyword !== undefined && matches !== undefined ? [{ field: 'matches', message: 'One of keyword and matches.' }] : []),
      ...(typeof matches === 'string' && findPatternFault(matches) !== undefined
        ? [
            {
              field: 'matches',
              message: 'This pattern cannot be matched. Lookarounds and back references are not known, and it must stay small.',
            },
          ]
        : []),
    ],
    example: { keyword: 'REPORT' },
  },
  {
    triggerTypeId: 9,
    internalName: 'runCompleted',
    description: 'A workflow, step, pack, job, import or sync ended, in one of the states.',
    config: z.strictObject({
      of: z.enum(['workflow', 'step', 'actionPack', 'job', 'import', 'sync']),
      name: z.string().min(1).max(200).optional(),
      states: z.array(z.string().min(1).max(40)).min(1).max(20).optional(),
      eiRecordId: z.unknown().optional(),
    }),
    payload: () => ({ id: numberValue, state: textValue, result: anyValue }),
    names: { name: { kindIn: 'of' } },
    check: ({ of, states }) => findUnknownStates(String(of), states),
    example: { of: 'import', states: ['partly', 'failed'] },
  },
  {
    triggerTypeId: 10,
    internalName: 'manual',
    description: 'A button, a call or an agent starts it.',
    config: z.strictObject({ input: inputFields.optional() }),
    payload: () => ({ by: anyValue, input: anyValue }),
    names: {},
    example: { input: [{ name: 'reason', dataType: 'Text', isRequired: true }] },
  },
]

const byName: ReadonlyMap<string, TriggerType> = new Map(triggerTypes.map((type) => [type.internalName, type]))

export function findTriggerType(name: unknown): TriggerType | undefined {
  return typeof name === 'string' ? byName.get(name) : undefined
}
