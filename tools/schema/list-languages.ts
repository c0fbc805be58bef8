import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { language } from './schema.schema.ts'
import { listLanguages as listRows } from './schema.store.ts'

export const listLanguages = defineOperation({
  ...reads(z.array(language)),
  errors: [],
  name: 'list_languages',
  title: 'List languages',
  description: 'The languages that names and descriptions may be in; 1 is en-US. Displays take languageRegionId or languageCode.',
  method: 'POST',
  path: '/api/v1/languages',
  roles: 'any',
  input: z.object({}),
  examples: [
    { title: 'All of them', input: {}, output: [{ languageRegionId: 1, languageCode: 'en-US', displayName: 'English (United States)' }] },
  ],
  async handler({ tx, tenantId }) {
    return listRows(tx, tenantId)
  },
})
