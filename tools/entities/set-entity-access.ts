import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, type Operation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { findRuleIssues, keepRules, storedRules } from './access.ts'
import { accessRules, entityAccess, exampleRules } from './access.schema.ts'
import type { AccessFloor } from './access.types.ts'
import { cachedCatalog } from './catalog.ts'
import { mustBeEntity, mustFindEntity } from './service.ts'

export const setEntityAccess = (floor: AccessFloor): Operation =>
  defineOperation({
    ...writes(entityAccess),
    isIdempotent: true,
    errors: ['not_found', 'unknown_property', 'unknown_entity'],
    name: 'set_entity_access',
    title: 'Set the access rules of an entity',
    description:
      'Replaces all access rules of an entity; [] opens it to everybody by role. Each rule reaches a role, a user or people by their linked records, and gives the verbs that it says true, on the records of its filter. Rules add up; what none gives is not given, to builders neither. Sensitive properties show only under seesSensitive.',
    method: 'PUT',
    path: '/api/v1/entities/{entity}/access',
    roles: 'BuilderAdmin',
    input: z.object({ entity: idOrName, rules: accessRules.describe('All of them') }),
    examples: [
      {
        title: 'Builders everything, others the work orders of their site',
        input: { entity: 'WorkOrder', rules: exampleRules },
        output: { entityId: 10_060, rules: exampleRules },
      },
    ],
    async handler(context, input) {
      const { entityId, internalName } = await mustFindEntity(context, input.entity)
      return changeDefinitions(
        context,
        async () => [entityId],
        async () => {
          const catalog = await cachedCatalog(context)
          const entity = mustBeEntity(catalog, entityId)
          refuseErrors(await findRuleIssues(context, floor, catalog, entity, input.rules), 'The access rules')
          await keepRules(context, catalog, entity, input.rules)
          context.audit({ entityId, internalName, rules: input.rules.length })
          return { entityId, rules: await storedRules(context, entityId, catalog) }
        },
      )
    },
  })
