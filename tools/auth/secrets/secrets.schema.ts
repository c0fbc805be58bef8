/** Named secrets on the wire: whatever is shown of them, never a value. */
import { isIP } from 'node:net'

import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { isHostName } from '#platform/outbound.ts'

export const secretSlot = idOrName.describe('secretId or internalName')

const portForm = /^(.*?)(?::(\d{1,5}))?$/

/** `api.example.com`, with a port where it is not the usual one. */
const host = z
  .string()
  .min(1)
  .max(260)
  .refine(
    (text) => {
      const [, name = '', port] = portForm.exec(text) ?? []
      return (isHostName(name) || isIP(name) === 4) && (port === undefined || Number(port) <= 65_535)
    },
    { error: 'A host such as api.example.com, without https:// and path' },
  )

// One line of what a header may hold.
const headerText = z.string().regex(/^[\x20-\x7e]*$/, 'Printable ASCII on one line')

export const secretInput = z.object({
  internalName: newName('secret'),
  value: headerText.min(1).max(8_000).describe('Never shown again'),
  hosts: z.array(host).min(1).max(20).describe('The only hosts that it is sent to, such as api.example.com'),
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/, 'The name of a header')
    .optional()
    .describe('Unless told where it is used'),
  prefix: headerText.max(40).optional().describe('Stands before it in the header, such as "Bearer "'),
})

export const secret = z.object({
  secretId: z.int(),
  internalName: z.string(),
  hosts: z.array(z.string()),
  header: z.string().nullable(),
  prefix: z.string().nullable(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  lastUsedDate: z.iso.datetime().nullable(),
})

export const exampleSecret: z.output<typeof secret> = {
  secretId: 3,
  internalName: 'erp',
  hosts: ['erp.example.com'],
  header: 'Authorization',
  prefix: 'Bearer ',
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  lastUsedDate: null,
}

component('Secret', secret)
