import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'

import { afterChange, findRuleProblems, findShortcutProblem, nameTaken } from './properties.rules.ts'
import { dataTypeOf, examplePriority, newPropertyName, property, propertyRuleFields } from './properties.schema.ts'
import { findOpenFlow, findProperty, listPropertyUses, loadReferences, type PropertyUse, updatePropertyRow } from './properties.store.ts'
import { mustFindProperty } from './service.ts'
import { listProperties } from './shown.ts'

export const updateProperty = defineOperation({
  ...writes(property),
  errors: ['not_found', 'already_exists', 'unprocessable'],
  isIdempotent: true,
  name: 'update_property',
  title: 'Change the rules of a property',
  description:
    'Changes the rules, the category or the internalName of a property; what is not named stays, null clears. The data type never changes. Records that are stored already stay as they are: stricter rules hold for the next save of a value. Names and descriptions in a language are set by set_property_display, options by save_property_option. Call describe_property before, test_property_value after.',
  method: 'PUT',
  path: '/api/v1/properties/{property}',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, internalName: newPropertyName.optional(), ...propertyRuleFields }),
  examples: [{ title: 'Another category', input: { property: 'Priority', categoryId: 1 }, output: { ...examplePriority, categoryId: 1 } }],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    const { property: slot, storageShortcutId, ...changes } = input
    const { propertyId } = await mustFindProperty(context, slot)
    const references = await loadReferences(tx, tenantId)
    let uses: PropertyUse[] = []
    return changeDefinitions(
      context,
      async () => {
        uses = await listPropertyUses(tx, tenantId, propertyId)
        return uses.map((use) => use.entityId)
      },
      async () => {
        const before = await mustFindProperty(context, propertyId)
        const after = afterChange(before, {
          ...changes,
          allowedFileTypes: changes.allowedFileTypes === null ? [] : changes.allowedFileTypes?.map((fileType) => fileType.toLowerCase()),
        })
        const taken = changes.internalName === undefined ? undefined : await findProperty(tx, tenantId, changes.internalName)
        refuseErrors(
          [
            ...findRuleProblems(dataTypeOf(before.dataTypeId), after, references, '$'),
            ...findShortcutProblem(storageShortcutId, '$'),
            ...(taken && taken.propertyId !== propertyId ? [nameTaken('$', 'property', taken.internalName)] : []),
          ],
          'The property',
        )
        const isLost = (before.isIdentityEmail && !after.isIdentityEmail) || (before.isIdentityPhone && !after.isIdentityPhone)
        const bridged = isLost ? uses.filter((use) => use.isIdentity) : []
        if (bridged.length > 0) {
          const names = bridged.map((use) => use.internalName).join(', ')
          throw new AppError(
            'conflict',
            `Records of ${names} are linked to users by this property. Change that with set_entity_identity_bridge first.`,
          )
        }
        await updatePropertyRow(tx, tenantId, stamp, after)
        const open = after.isSensitive === before.isSensitive ? undefined : await findOpenFlow(tx, tenantId, propertyId)
        if (open) {
          const message = `In ${open.internalName} the analysis of ${open.source} writes its results to ${open.target}, and what is read in a sensitive file goes into sensitive properties only. Change ${open.target}, or that with set_attachment_analysis, first.`
          refuseErrors([finding('$.isSensitive', message, { code: 'unprocessable' })], 'The property')
        }
        context.audit({ propertyId, changed: Object.keys(changes) })
        const [row] = await listProperties(tx, tenantId, await findDisplayLanguages(context), [propertyId])
        return mustExist(row, 'property')
      },
    )
  },
})
