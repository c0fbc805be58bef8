import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { mustExist } from '#platform/errors.ts'
import { type IdOrName, idOrName } from '#platform/names.ts'
import { defineStagedOperation, type TxContext, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { listAttached } from './attached.ts'
import { readBridge } from './entities.rules.ts'
import { entityId } from './entities.schema.ts'
import { findEntity, updateBridge } from './entities.store.ts'
import { countIdentityLinks, deleteClaimsOfEntity } from './identity.store.ts'
import { claimPresentIdentities } from './identity.ts'
import { mustFindEntity } from './service.ts'

export const setEntityIdentityBridge = defineStagedOperation({
  ...writes(
    z.object({
      entityId,
      internalName: z.string(),
      isTenantUserRole: z.boolean(),
      identityEmailProperty: z.string().nullable().describe('internalName'),
      identityPhoneProperty: z.string().nullable().describe('internalName'),
      linkedRecords: z.int().describe('list_identity_links shows them'),
    }),
  ),
  errors: ['not_found', 'unknown_property'],
  isIdempotent: true,
  name: 'set_entity_identity_bridge',
  title: 'Link the records of an entity to users',
  description:
    'Says that the records of an entity are people, and names the properties by which they are matched with users: attached, of type Text, flagged isIdentityEmail or isIdentityPhone by update_property. One that is not named is the only property with the flag; null says that there is none. Its records, those that are there already too, are then linked to the users who have that e-mail or phone, and follow every change of contacts. isTenantUserRole false ends it. list_identity_links shows the links.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}/identity-bridge',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    isTenantUserRole: z.boolean().describe('Whether its records are people who may be users'),
    identityEmailProperty: idOrName.nullable().optional().describe('Property with their e-mail; null: none'),
    identityPhoneProperty: idOrName.nullable().optional().describe('Property with their phone; null: none'),
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
        linkedRecords: 38,
      },
    },
  ],
  async stagedHandler(staged, input) {
    const set = await staged.inTransaction((context) => setBridge(context, input))
    if (set.isTenantUserRole) await claimPresentIdentities(staged, set.entityId)
    const linkedRecords = await staged.inTransaction(({ tx, tenantId }) => countIdentityLinks(tx, tenantId, set.entityId), {
      readOnly: true,
    })
    return { ...set, linkedRecords }
  },
})

interface Wanted {
  readonly entity: IdOrName
  readonly isTenantUserRole: boolean
  readonly identityEmailProperty?: IdOrName | null | undefined
  readonly identityPhoneProperty?: IdOrName | null | undefined
}

async function setBridge(context: TxContext, input: Wanted) {
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
      const before = mustExist(await findEntity(tx, tenantId, entityId), 'entity')
      await updateBridge(tx, tenantId, stamp, { entityId, isTenantUserRole, ...identity })
      const isOther =
        before.identityEmailPropertyId !== identity.identityEmailPropertyId ||
        before.identityPhonePropertyId !== identity.identityPhonePropertyId
      if (!isTenantUserRole || isOther) await deleteClaimsOfEntity(tx, tenantId, entityId)
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
}
