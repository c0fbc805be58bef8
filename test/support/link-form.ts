/** A form with a field of every kind, as open_signed_link answers it, and a product that takes what is sent to it. */
import type { LinkCalls, Sending } from '#server/pages/index.ts'
import { AppError } from '#platform/errors.ts'
import type { OpenedLink } from '#tools/forms/links/links.schema.ts'
import { goneLink, settledLink } from '#tools/forms/links/links.rules.ts'
import type { ShownField, ShownForm } from '#tools/forms/links/shown-form.schema.ts'

function field(property: string, dataType: string, control: string, more: Partial<ShownField> = {}): ShownField {
  return {
    property,
    name: property,
    dataType,
    control,
    span: 12,
    isRequired: false,
    isReadOnly: false,
    isList: false,
    value: null,
    ...more,
  }
}

const states = [
  { internalName: 'open', name: 'Open' },
  { internalName: 'closed', name: 'Closed' },
]
const capture = { maxBytes: 5 * 1024 * 1024, accept: ['jpg', 'png'], source: 'camera' as const, maxEdge: 1600 }

export const everyKind: ShownForm = {
  form: 'GateInspection',
  title: 'Inspection of the gate',
  description: 'Please look at the gate, and tell what you see.',
  layoutVersion: 3,
  mode: 'update',
  pages: 'scroll',
  sections: [
    {
      type: 'detail',
      name: 'gate',
      title: 'The gate',
      fields: [
        field('Number', 'Text', 'text', { name: 'Number of the gate', isReadOnly: true, value: 'G-4' }),
        field('Inspector', 'Text', 'text', { name: 'Inspected by', isRequired: true, maxLength: 60, span: 6 }),
        field('Mail', 'Text', 'email', { name: 'Your e-mail', span: 6, help: 'For questions only.' }),
        field('State', 'Choice', 'radio', { name: 'State of the gate', isRequired: true, options: states }),
        field('ClosedReason', 'Text', 'longText', {
          name: 'Why is it closed?',
          isRequired: true,
          visibleWhen: [{ property: 'State', op: 'eq', value: 'closed' }],
        }),
        field('Kind', 'Choice', 'select', { name: 'Kind', options: states, span: 4 }),
        field('Place', 'Hierarchy', 'tree', {
          name: 'Place',
          span: 4,
          options: [
            { internalName: 'north', name: 'North' },
            { internalName: 'yard', name: 'Yard', parent: 'north' },
          ],
        }),
        field('Damages', 'Choice', 'checkboxes', { name: 'Damages', isList: true, options: states }),
        field('Width', 'Number', 'number', { name: 'Width in metres', minimum: 1, maximum: 12, maxDecimalPlaces: 2, span: 4 }),
        field('Cost', 'Currency', 'currency', { name: 'Cost', span: 4 }),
        field('Safe', 'Boolean', 'toggle', { name: 'Is it safe?', isRequired: true }),
        field('Due', 'DateOnly', 'date', { name: 'Next look', span: 4 }),
        field('At', 'TimeOnly', 'time', { name: 'Time', span: 4 }),
        field('Seen', 'DateTime', 'dateTime', { name: 'Seen at', span: 4, value: '2026-11-22T09:30:00.000Z' }),
        field('Codes', 'Text', 'text', { name: 'Codes on the plates', isList: true, value: ['A1', 'B2'] }),
      ],
    },
    {
      type: 'list',
      name: 'parts',
      title: 'Part',
      minRows: 0,
      maxRows: 5,
      allowAdd: true,
      allowEdit: true,
      allowDelete: true,
      rows: [{ eiRecordId: 71, values: { PartName: 'Hinge', Quantity: 2 } }],
      fields: [
        field('PartName', 'Text', 'text', { name: 'Name of the part', isRequired: true, span: 8 }),
        field('Quantity', 'Number', 'number', { name: 'How many', span: 4, minimum: 1 }),
      ],
    },
    {
      type: 'detail',
      name: 'proof',
      title: 'Proof',
      fields: [
        field('Photos', 'Attachment', 'photo', { name: 'Photographs', isList: true, capture }),
        field('Signed', 'Signature', 'signature', { name: 'Your signature', isRequired: true, capture }),
      ],
    },
  ],
}

export interface Taken {
  readonly values: Record<string, unknown>
  readonly sections: unknown
  readonly key: string | undefined
  readonly act?: Sending['act']
}

export interface TakingCalls extends LinkCalls {
  readonly taken: Taken[]
  readonly files: { readonly property: string; readonly fileName: string; readonly bytes: number; readonly type: string | undefined }[]
  /** What is done instead of taking the next answers. */
  refuse: (() => void) | undefined
  /** The state of the link, by its token's beginning. */
  opened: number
  /** What the link opens now. */
  form: ShownForm
  /** The task that it is to; the form is of no matter where it has none. */
  task: (NonNullable<OpenedLink['task']> & { readonly isQuestion?: true }) | undefined
}

/** `token` says what the link is like: `used…`, `expired…`, `revoked…`, `unknown…`, else it is open until an answer was taken. */
export function takingCalls(
  form: ShownForm = everyKind,
  theme: Record<string, string> = {},
  languageCode: string | null = null,
): TakingCalls {
  const used = new Map<string, string | undefined>()
  const opened: Omit<OpenedLink, 'form'> = {
    linkId: 12,
    expiresAt: '2036-11-28T09:30:00.000Z',
    tenant: { name: 'Northgate Facilities', languageCode: 'en-US', theme },
    to: { displayName: 'Ana', languageCode, timeZoneIana: 'Europe/Madrid' },
    madeBy: 'Dispatch',
  }
  const mustBeOpen = (token: string) => {
    for (const state of ['used', 'expired', 'revoked'] as const) if (token.startsWith(state)) throw goneLink(state)
    if (token.startsWith('done')) throw settledLink({ by: 'Ana <Ruiz>', at: '2026-11-22T09:30:00.000Z' })
    if (token.startsWith('unknown')) throw new AppError('not_found', 'No such link.')
    if (token.startsWith('broken')) throw new Error('connection to 10.1.2.3 refused')
    if (used.has(token)) throw goneLink('used')
  }
  const calls: TakingCalls = {
    taken: [],
    files: [],
    refuse: undefined,
    opened: 0,
    form,
    task: undefined,
    open: async (_caller, token) => {
      mustBeOpen(token)
      calls.opened++
      const { isQuestion, ...task } = calls.task ?? {}
      return { ...opened, ...(isQuestion ? {} : { form: calls.form }), ...(calls.task ? { task: task as OpenedLink['task'] } : {}) }
    },
    keep: async (_caller, token, property, upload) => {
      mustBeOpen(token)
      let bytes = 0
      for await (const chunk of upload.stream) bytes += Buffer.from(chunk).length
      if (upload.isTruncated() || bytes > 5 * 1024 * 1024) throw new AppError('too_large', 'The file is too large.')
      calls.files.push({ property, fileName: upload.fileName, bytes, type: upload.mimeType })
      return `00000000-0000-4000-8000-${String(calls.files.length).padStart(12, '0')}`
    },
    submit: async (_caller, token, { answer, act }, key) => {
      if (used.has(token) && key !== undefined && used.get(token) === key) return
      mustBeOpen(token)
      calls.refuse?.()
      used.set(token, key)
      const { values = {}, sections = {} } = answer ?? {}
      calls.taken.push({ values, sections, key, ...(act ? { act } : {}) })
    },
  }
  return calls
}
