import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { homeAreas } from './menu.schema.ts'

export const listHomeAreas = defineOperation({
  ...reads(z.array(z.object({ homeAreaId: z.int(), internalName: z.string(), name: z.string() }))),
  errors: [],
  name: 'list_home_areas',
  title: 'List home areas',
  description:
    'Where menu items may stand apart from the others: the home of the portal, the drawer, the home of the phone. create_menu_item takes one as homeArea.',
  method: 'POST',
  path: '/api/v1/menu-items/home-areas',
  roles: 'any',
  input: z.object({}),
  examples: [{ title: 'All of them', input: {}, output: [...homeAreas] }],
  handler: () => Promise.resolve([...homeAreas]),
})
