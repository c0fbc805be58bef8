/** Access rules on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, idOrName } from '#platform/names.ts'
import { type RoleName, roleNames } from '#platform/roles.ts'

export const maxAccessRules = 50

// roleNames lists the keys of an object that is not empty.
const role = z.enum(roleNames as unknown as [RoleName, ...RoleName[]])

const filter = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .describe('As filterRules of list_instances; a value may be a token of the caller: [[$user.tenantUserId]], [[$user.Technician.Site]]')

const people = z.strictObject({
  entity: idOrName.describe('One with an identity bridge'),
  filter: filter.optional(),
})

const properties = z.array(idOrName).max(300)

const accessRule = z.strictObject({
  role: role.optional(),
  tenantUserId: definitionId.optional(),
  people: people.optional().describe('Users whose linked record of the entity fulfils the filter'),
  read: z.boolean().optional(),
  create: z.boolean().optional(),
  edit: z.boolean().optional(),
  delete: z.boolean().optional(),
  filter: filter.optional().describe('Which records; all unless told'),
  hidden: properties.optional().describe('Properties that the rule does not show'),
  readOnly: properties.optional(),
  seesSensitive: z.boolean().optional(),
})

export type AccessRuleInput = z.output<typeof accessRule>

export const accessRules = z.array(accessRule).max(maxAccessRules)

export const entityAccess = z.object({ entityId: definitionId, rules: accessRules })

const propertyNames = z.array(z.string())

/** What describe_entity tells the caller of their own rights. */
export const ownAccess = z
  .object({
    read: z.boolean(),
    create: z.boolean(),
    edit: z.boolean(),
    delete: z.boolean(),
    isPartial: z.boolean().describe('Of some of the records alone'),
    hidden: propertyNames.describe('Withheld in every record'),
    readOnly: propertyNames.describe('Yours to write in none'),
  })
  .describe('Your rights, by your roles and the access rules')

export type OwnAccess = z.output<typeof ownAccess>

export const exampleRules = [
  { role: 'BuilderAdmin' as const, read: true, create: true, edit: true, delete: true },
  {
    role: 'DataView' as const,
    read: true,
    edit: true,
    filter: { rules: [{ property: 'Site', op: 'eq', value: '[[$user.Technician.Site]]' }] },
    hidden: ['Cost'],
    readOnly: ['OrderNumber'],
  },
]

component('AccessRule', accessRule)
