import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { listing } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { encodeCursor, pageInput } from '#platform/paging.ts'
import { roleBits } from '#platform/roles.ts'

import { event, eventKindName, eventKindNames, exampleEvent, tellsRecords } from './events.schema.ts'
import { readLog } from './log.ts'

export const listEvents = defineOperation({
  ...reads(z.array(event)),
  errors: [],
  name: 'list_events',
  title: 'List events',
  description:
    'What happened in the last 30 days, the newest first, as far as you may see it, with what subscriptions are told. Changes of records need DataView.',
  method: 'POST',
  path: '/api/v1/events/list',
  roles: 'AdminIntegration',
  input: z.object({
    kinds: z.array(eventKindName).min(1).max(eventKindNames.length).optional().describe('All unless told'),
    dateFrom: z.iso.datetime({ offset: true }).optional().describe('Not before'),
    dateTo: z.iso.datetime({ offset: true }).optional().describe('Not after'),
    pageSize: pageInput.pageSize,
    cursor: pageInput.cursor,
  }),
  examples: [{ title: 'Changed records', input: { kinds: ['record.updated'], pageSize: 1 }, output: [exampleEvent] }],
  async handler(context, input) {
    const seesRecords = (context.actor.roleFlag & roleBits.DataView) !== 0
    const asked = input.kinds ?? eventKindNames.filter((kind) => seesRecords || !tellsRecords(kind))
    const refused = asked.find((kind) => !seesRecords && tellsRecords(kind))
    if (refused !== undefined)
      throw new AppError('forbidden', `Events of the kind ${refused} say what records hold, which needs the role DataView.`)
    const { items, next } = await readLog(context, { ...input, kinds: asked, pageSize: input.pageSize ?? 50 })
    return listing(items, { nextCursor: next && encodeCursor(next) })
  },
})
