import { isDeepStrictEqual } from 'node:util'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { type Body, changeDefinition, type DefinitionRow, mustFindDefinition, type Reference } from '#tools/definitions/service.ts'
import { cachedCatalog, mustBeEntity } from '#tools/entities/service.ts'

import { exampleForm, exampleLayout, expectedLayoutVersion, form, formInput, formSlot } from './forms.schema.ts'
import { keepLayout, layoutVersionOf, placeOfForms, readFormDraft, refuseStale, showForm } from './shown.ts'

const sorted = (references: readonly Reference[]) => references.map((one) => JSON.stringify(one)).sort()

/** The same layout again, in whatever order its keys stand, is no new version; where its names mean other things by now it is. */
function isSame(body: Body, references: readonly Reference[], row: DefinitionRow): boolean {
  // Written by the service of definitions.
  const refs = JSON.parse(row.refs) as readonly Reference[]
  return isDeepStrictEqual(body, JSON.parse(row.body)) && isDeepStrictEqual(sorted(references), sorted(refs))
}

export const updateForm = defineOperation({
  ...writes(form),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable', 'stale_layout'],
  name: 'update_form',
  title: 'Change a form',
  description:
    'Changes what is named; layoutJson as a whole, as its next version. Also finds a form that is hidden from keys and agents. get_form shows what there is.',
  method: 'PUT',
  path: '/api/v1/forms/{form}',
  roles: 'BuilderAdmin',
  input: formInput.partial().extend({ form: formSlot, expectedLayoutVersion }),
  examples: [
    {
      title: 'Without the visits, unless somebody was faster',
      input: { form: 'OrderForm', expectedLayoutVersion: 1, layoutJson: { sections: exampleLayout.sections.slice(0, 1) } },
      output: { ...exampleForm, binding: { ...exampleForm.binding, entities: ['WorkOrder'] }, layoutVersion: 2 },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const row = await mustFindDefinition(context, placeOfForms, input.form, { isHiddenToo: true })
      const layoutVersion = await layoutVersionOf(context, row)
      refuseStale(layoutVersion, input.expectedLayoutVersion)
      const { internalName, description, isShared, isApiVisible, layoutJson } = input
      const of = mustBeEntity(catalog, row.entityId ?? 0)
      const { body, references, ...draft } =
        layoutJson === undefined ? { internalName } : await readFormDraft(context, catalog, of, layoutJson, internalName)
      const layout = body === undefined || isSame(body, references ?? [], row) ? {} : { body, references }
      const changed = await changeDefinition(context, row, { description, isShared, isApiVisible, ...draft, ...layout })
      if (changed.body !== row.body || changed.refs !== row.refs) await keepLayout(context, changed, layoutVersion + 1)
      return showForm(context, catalog, changed)
    })
  },
})
