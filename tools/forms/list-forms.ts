import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleForm, form } from './forms.schema.ts'
import { formPageInput, listFormPage } from './listing.ts'
import { placeOfForms } from './shown.ts'

export const listForms = defineOperation({
  ...reads(z.array(form)),
  errors: [],
  name: 'list_forms',
  title: 'List forms',
  description:
    'The forms of all entities that you may use, by name, each with what is wrong with it today. Then get_form_schema to fill one in.',
  method: 'POST',
  path: '/api/v1/forms/list',
  roles: 'DataView',
  input: z.object(formPageInput),
  examples: [{ title: 'All of them', input: {}, output: [exampleForm] }],
  async handler(context, input) {
    return listFormPage(context, await cachedCatalog(context), placeOfForms, input)
  },
})
