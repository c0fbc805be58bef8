import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { definitionId } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition, readDefinitions } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleForm, exampleLayout, formDetail, formSlot } from './forms.schema.ts'
import { findLayout } from './forms.store.ts'
import { layoutVersionOf, placeOfForms, showForm } from './shown.ts'

export const getForm = defineOperation({
  ...reads(formDetail),
  name: 'get_form',
  title: 'Get a form',
  description:
    'One form with its layout as layoutJson and its layoutVersion, to be changed with update_form. To fill it in, call get_form_schema instead.',
  method: 'POST',
  path: '/api/v1/forms/{form}',
  roles: 'DataView',
  input: z.object({
    form: formSlot,
    layoutVersion: definitionId.optional().describe('An earlier layout, as list_form_versions shows it'),
  }),
  examples: [
    {
      title: 'By name',
      input: { form: 'OrderForm' },
      output: { ...exampleForm, layoutJson: JSON.stringify({ layoutVersion: 1, ...exampleLayout }) },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const catalog = await cachedCatalog(context)
    const row = await mustFindDefinition(context, placeOfForms, input.form)
    const layoutVersion = input.layoutVersion ?? (await layoutVersionOf(context, row))
    const kept = await findLayout(tx, tenantId, row.definitionId, layoutVersion)
    if (!kept) throw new AppError('not_found', `The form has no version ${layoutVersion}. list_form_versions shows those that are kept.`)
    const asked = { ...row, body: kept.body, refs: kept.refs }
    const [definition] = await readDefinitions(context, [asked], catalog)
    const layoutJson = JSON.stringify({ layoutVersion, internalName: row.internalName, ...definition?.body })
    return { ...(await showForm(context, catalog, asked)), layoutVersion, layoutJson }
  },
})
