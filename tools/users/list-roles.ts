import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { roleBits, roleDescriptions, roleNames } from '#platform/roles.ts'

const role = z.object({ internalName: z.enum(roleNames), bit: z.int().min(1).describe('In roleFlag'), description: z.string() })

export const listRoles = defineOperation({
  ...reads(z.array(role)),
  errors: [],
  name: 'list_roles',
  title: 'List roles',
  description: 'The roles that users and keys can hold, with their bits in roleFlag. No role implies another.',
  method: 'POST',
  path: '/api/v1/roles/list',
  roles: 'any',
  input: z.object({}),
  examples: [
    {
      title: 'What there is',
      input: {},
      output: [
        { internalName: 'BuilderAdmin', bit: 1, description: 'Authors properties, entities, forms, workflows and surfaces' },
        { internalName: 'DataView', bit: 2, description: 'Reads records, assets, messages and definitions' },
      ],
    },
  ],
  async handler() {
    return roleNames.map((name) => ({ internalName: name, bit: roleBits[name], description: roleDescriptions[name] }))
  },
})
