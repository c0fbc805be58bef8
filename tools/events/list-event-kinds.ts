import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { describeKind, eventKind, type EventKindName, eventKindNames } from './events.schema.ts'

const shownKind = (kind: EventKindName) => {
  const { description, schema } = describeKind(kind)
  const { $schema: _dialect, ...shown } = z.toJSONSchema(schema)
  return { kind, description, schema: shown }
}

const all = eventKindNames.map(shownKind)

export const listEventKinds = defineOperation({
  ...reads(z.array(eventKind)),
  errors: [],
  name: 'list_event_kinds',
  title: 'List kinds of events',
  description: 'What is told of what happens: each kind, and the JSON Schema of its data. Then create_event_subscription or list_events.',
  method: 'POST',
  path: '/api/v1/events/kinds',
  roles: 'any',
  input: z.object({ kind: z.string().max(64).optional().describe('Only this one, or those that begin so: record') }),
  examples: [{ title: 'Of users', input: { kind: 'user' }, output: [shownKind('user.created')] }],
  async handler(_context, { kind }) {
    return all.filter((one) => kind === undefined || one.kind === kind || one.kind.startsWith(`${kind}.`))
  },
})
