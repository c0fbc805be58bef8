import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { readBridge } from './entities.rules.ts'
import { entityId } from './entities.schema.ts'
import { deleteIdentityLinks, updateBridge } from './entities.store.ts'
import { mustFindEntity } from './service.ts'
import { listAttached } from './attached.ts'

export const setEntityIdentityBridge = defineOperation({
  ...writes(
    z.object({
      entityId,
      internalName: z.string(),
      isTenantUserRole: z.boolean(),
      identityEmailProperty: z.string().nullable().describe('internalName'),
      identityPhoneProperty: z.string().nullable().describe('internalName'),
    }),
  ),
  errors: ['not_found', 'unknown_property'],
  isIdempotent: true,
  name: 'set_entity_identity_bridge',
  title: 'Link the records of an entity to users',
  description:
    'Says that the records of an entity are people, and names the properties by which they are matched with users: attached, of type Text, flagged isIdentityEmail or isIdentityPhone by update_property. One that is not named is the only property with the flag; null says that there is none. Records are linked when they are saved from now on; save earlier ones again. isTenantUserRole false ends it and drops the links. list_identity_links shows them.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}/identity-bridge',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    isTenantUserRole: z.boolean(),
    identityEmailProperty: idOrName.nullable().optional(),
    identityPhoneProperty: idOrName.nullable().optional(),
  }),
  examples: [
    {
      title: 'Technicians are users by their e-mail',
      input: { entity: 'Technician', isTenantUserRole: true, identityEmailProperty: 'Email' },
      output: {
        entityId: 10_095,
        internalName: 'Technician',
        isTenantUserRole: true,
        identityEmailProperty: 'Email',
        identityPhoneProperty: null,
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    const { entityId, internalName } = await mustFindEntity(context, input.entity)
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const attached = (await listAttached(tx, tenantId, entityId)).map((row) => ({
          property: { ...row, optionFilters: [] },
          isList: row.isList,
        }))
        const { email, phone, findings } = readBridge(input, attached, '$')
        refuseErrors(findings, 'The bridge')
        const { isTenantUserRole } = input
        const identity = { identityEmailPropertyId: email?.propertyId ?? null, identityPhonePropertyId: phone?.propertyId ?? null }
        await updateBridge(tx, tenantId, stamp, { entityId, isTenantUserRole, ...identity })
        if (!isTenantUserRole) await deleteIdentityLinks(tx, tenantId, entityId)
        context.audit({ entityId, isTenantUserRole, ...identity })
        return {
          entityId,
          internalName,
          isTenantUserRole,
          identityEmailProperty: email?.internalName ?? null,
          identityPhoneProperty: phone?.internalName ?? null,
        }
      },
    )
  },
})
