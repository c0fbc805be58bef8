import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { definitionId } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { type Body, changeDefinition, mustFindDefinition, type Reference, readDefinitions } from '#tools/definitions/service.ts'
import { cachedCatalog, mustBeEntity } from '#tools/entities/service.ts'

import { exampleForm, expectedLayoutVersion, form, formSlot } from './forms.schema.ts'
import { findLayout } from './forms.store.ts'
import { readStored } from './reading.ts'
import { keepLayout, layoutVersionOf, placeOfForms, refuseStale, showForm } from './shown.ts'

export const restoreFormVersion = defineOperation({
  ...writes(form),
  errors: ['not_found', 'stale_layout'],
  name: 'restore_form_version',
  title: 'Restore an earlier layout of a form',
  description:
    'Makes an earlier layout the newest version, under the names of today; 409 where it names what is gone. list_form_versions shows which there are.',
  method: 'POST',
  path: '/api/v1/forms/{form}/versions/{version}/restore',
  roles: 'BuilderAdmin',
  input: z.object({ form: formSlot, version: definitionId.describe('layoutVersion of list_form_versions'), expectedLayoutVersion }),
  examples: [{ title: 'The first one again', input: { form: 'OrderForm', version: 1 }, output: { ...exampleForm, layoutVersion: 3 } }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const { tx, tenantId } = context
      const catalog = await cachedCatalog(context)
      const row = await mustFindDefinition(context, placeOfForms, input.form)
      const layoutVersion = await layoutVersionOf(context, row)
      refuseStale(layoutVersion, input.expectedLayoutVersion)
      const kept = await findLayout(tx, tenantId, row.definitionId, input.version)
      if (!kept) throw new AppError('not_found', `The form has no version ${input.version}. list_form_versions shows those that are kept.`)
      const { body, refs } = kept
      const [definition] = await readDefinitions(context, [{ ...row, body, refs }], catalog)
      if (!definition) throw new Error('A layout was not read')
      const { findings } = await readStored(context, catalog, mustBeEntity(catalog, row.entityId ?? 0), definition)
      refuseErrors(
        findings.map((one) => ({ ...one, code: 'conflict' })),
        `Version ${input.version}`,
        'restored',
      )
      // Both were written by the service of definitions; with the names of then, since places inside texts are told by those.
      const draft = { body: JSON.parse(body) as Body, references: JSON.parse(refs) as Reference[] }
      const changed = await changeDefinition(context, row, draft)
      await keepLayout(context, changed, layoutVersion + 1)
      return showForm(context, catalog, changed)
    })
  },
})
