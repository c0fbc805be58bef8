import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { publicBranding } from './branding.schema.ts'
import { brandingOf } from './shown.ts'

const none = { logo: null, favicon: null, apple: null, android: null }

export const getPublicBranding = defineStagedOperation({
  ...reads(publicBranding),
  errors: [],
  name: 'get_public_branding',
  title: 'Read the branding of a host',
  description:
    'Name, theme and icons of the tenant whose host was asked, for pages before sign-in; of any other host the installation’s own.',
  method: 'GET',
  path: '/api/v1/branding',
  roles: 'Public',
  input: z.object({}),
  examples: [
    {
      title: 'A host that is nobody’s',
      input: {},
      output: { name: 'Fieldloop', languageCode: null, cssJson: {}, icons: none },
    },
  ],
  async stagedHandler({ services, host, ip }) {
    const found = await brandingOf(services, host, `address ${ip ?? ''}`)
    if (!found) return { name: 'Fieldloop', languageCode: null, cssJson: {}, icons: none }
    return { name: found.name, languageCode: found.languageCode, cssJson: found.theme, icons: found.icons }
  },
})
