import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { profileOf } from './profile.ts'
import { exampleProfile, profile } from './profile.schema.ts'

export const getProfile = defineStagedOperation({
  ...reads(profile),
  name: 'get_profile',
  title: 'Read my profile',
  description:
    'The log-in name, proved e-mails and tenants of the person who calls, with the display name, language, zone and notifications of this tenant.',
  method: 'POST',
  path: '/api/v1/profile',
  roles: 'Person',
  input: z.object({}),
  examples: [{ title: 'Mine', input: {}, output: exampleProfile }],
  stagedHandler: async (context) => profileOf(context),
})
