import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { inTurns } from '#platform/turns.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { languageCode } from '#tools/properties/properties.schema.ts'

import { rightsOn, textsOf } from './filling.ts'
import { optionsShownOf, showLayout } from './filling.rules.ts'
import { exampleFormSchema, formSchema } from './form-schema.schema.ts'
import { formSlot } from './forms.schema.ts'
import { lockedOnWire } from './records/opened.ts'
import { readyForm } from './records/ready.ts'
import { showForm, soundForm } from './shown.ts'

export const getFormSchema = defineOperation({
  ...reads(formSchema),
  name: 'get_form_schema',
  title: 'Get what a form asks',
  description:
    'Everything needed to fill a form in, in your language: its fields with types, rules, options and conditions, its lists of children, locked fields, and required properties that could stay hidden (hiddenRequired). list_forms gives the names.',
  method: 'POST',
  path: '/api/v1/forms/{form}/schema',
  roles: 'DataView',
  input: z.object({ form: formSlot, languageCode: languageCode.optional() }),
  examples: [{ title: 'By name', input: { form: 'OrderForm' }, output: exampleFormSchema }],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    const { row, layout } = await soundForm(context, catalog, input.form)
    const options = await inTurns(optionsShownOf(layout))
    const names = await textsOf(context, layout, options, input.languageCode)
    const rights = await rightsOn(context, catalog, layout)
    const ready = await readyForm(context, catalog, layout)
    const locked = lockedOnWire(ready.locked)
    const lockedInRows = new Map(ready.lists.map((list) => [list.name, lockedOnWire(list.locked)]))
    const shown = await inTurns(showLayout(layout, { names, rights, locked, lockedInRows, options }))
    return { form: await showForm(context, catalog, row), ...shown }
  },
})
