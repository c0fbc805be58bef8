import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { component } from '#platform/document-schema.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { findReachable, openAsset } from '#tools/assets/service.ts'

import { exampleForm, form } from '../forms.schema.ts'
import { importWorkbook, readWorkbook } from './importing.ts'

const notCarried = z.object({
  sheet: z.enum(['survey', 'choices', 'settings']),
  row: z.int().optional().describe('Of the sheet, header included'),
  question: z.string().optional(),
  what: z.string(),
  reason: z.string(),
})
component('NotCarried', notCarried)

/** As many as one reads; a form that has more is better drawn anew. */
const toldAtMost = 500

export const importXlsform = defineStagedOperation({
  ...writes(
    z.object({
      form,
      entities: z.array(z.string()).describe('That of the form, then one a repeat'),
      properties: z.array(z.string()),
      notCarried: z.array(notCarried).describe('What has no place here'),
      notCarriedLeftOut: z.int().optional().describe('How many more there are'),
    }),
  ),
  errors: ['already_exists', 'unprocessable', 'unknown_property', 'unknown_entity'],
  name: 'import_xlsform',
  title: 'Import an XLSForm',
  description:
    'Makes properties, an entity with a child for each repeat, and a form out of an XLSForm workbook of ODK or Kobo, all or nothing; notCarried says what has no place here. First upload the .xlsx with create_upload_url. Then get_form, and update_form to share it.',
  method: 'POST',
  path: '/api/v1/forms/import-xlsform',
  roles: 'BuilderAdmin',
  input: z.object({ assetKey: z.uuid().describe('Of the uploaded .xlsx') }),
  examples: [
    {
      title: 'A survey of wells',
      input: { assetKey: '0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11' },
      output: {
        form: { ...exampleForm, internalName: 'wells', isShared: false },
        entities: ['wells'],
        properties: ['village', 'depth'],
        notCarried: [{ sheet: 'survey', row: 4, question: 'hello', what: 'note', reason: 'A note asks nothing.' }],
      },
    },
  ],
  async stagedHandler(context, { assetKey }) {
    const key = assetKey.toLowerCase()
    const asset = await context.inTransaction(async (inner) => (await findReachable(inner, [key])).get(key), { readOnly: true })
    if (!asset) {
      throw new AppError('invalid_input', 'There is no such asset. Upload the file first with create_upload_url.', {
        issues: [finding('$.assetKey', 'There is no such asset.')],
      })
    }
    const { stream } = await openAsset(context.services, context.tenantId, asset.assetKey)
    const workbook = await readWorkbook(stream, context.signal)
    return context.inTransaction(async (inner) => {
      const made = await importWorkbook(inner, workbook, asset.originalFileName.replace(/\.[^.]*$/, ''))
      const { notCarried: all } = made
      inner.audit({ formId: made.form.id, internalName: made.form.internalName, properties: made.properties.length })
      return {
        ...made,
        notCarried: all.slice(0, toldAtMost),
        ...(all.length > toldAtMost ? { notCarriedLeftOut: all.length - toldAtMost } : {}),
      }
    })
  },
})
