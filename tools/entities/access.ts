/** Keeping the access rules of an entity, and checking what they name. */
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'
import { changeDefinition, createDefinition, dropDefinition, listOfEntities, todaysBody } from '#tools/definitions/service.ts'

import { findNamed, referencesOfRules } from './access.rules.ts'
import type { AccessRuleInput } from './access.schema.ts'
import type { AccessFloor } from './access.types.ts'
import type { Catalog, CatalogEntity } from './catalog.types.ts'
import { hasTenantUser } from './identity.store.ts'

/** With today's names. */
export async function storedRules(context: TxContext, entityId: number, catalog: Catalog): Promise<AccessRuleInput[]> {
  const [row] = await listOfEntities(context.tx, context.tenantId, 'access', entityId)
  if (!row) return []
  // Written below, where the operation's schema had parsed it.
  return todaysBody(row, catalog).body['rules'] as AccessRuleInput[]
}

/** Keeps the rules in place of those that the entity had. Inside `changeDefinitions`. */
export async function keepRules(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  rules: readonly AccessRuleInput[],
): Promise<void> {
  const [row] = await listOfEntities(context.tx, context.tenantId, 'access', entity.entityId)
  if (rules.length === 0) return row ? dropDefinition(context, row) : undefined
  const draft = { body: { rules }, references: referencesOfRules(catalog, entity, rules) }
  if (row) await changeDefinition(context, row, draft)
  else {
    const place = { kind: 'access' as const, entityId: entity.entityId, lister: 'get_entity_access', field: 'entity' }
    const named = { internalName: `entity${entity.entityId}`, description: '', isShared: true, isApiVisible: true }
    await createDefinition(context, place, { ...draft, ...named })
  }
}

/** What is wrong with rules of an entity, with the nearest right names. */
export async function findRuleIssues(
  context: TxContext,
  floor: AccessFloor,
  catalog: Catalog,
  entity: CatalogEntity,
  rules: readonly AccessRuleInput[],
): Promise<Finding[]> {
  const findings = rules.flatMap((rule, index) => [
    ...findWhoIssues(floor, catalog, rule, `$.rules[${index}]`),
    ...findPropertyIssues(entity, rule, `$.rules[${index}]`),
    ...(rule.filter === undefined ? [] : floor.findFilterIssues(catalog, entity, rule.filter, `$.rules[${index}].filter`, true)),
  ])
  for (const [index, { tenantUserId }] of rules.entries()) {
    if (tenantUserId === undefined || (await hasTenantUser(context.tx, context.tenantId, tenantUserId))) continue
    findings.push(finding(`$.rules[${index}].tenantUserId`, `There is no user ${tenantUserId}. list_users shows them.`))
  }
  return findings
}

function findWhoIssues(floor: AccessFloor, catalog: Catalog, rule: AccessRuleInput, path: string): Finding[] {
  const { role, tenantUserId, people } = rule
  if ([role, tenantUserId, people].filter((one) => one !== undefined).length !== 1)
    return [finding(path, 'A rule says whom it reaches: one of role, tenantUserId and people.')]
  if (!people) return []
  const entity = catalog.byIdOrName.get(String(people.entity).toLowerCase())
  if (!entity) {
    const names = catalog.entities.map((one) => one.internalName)
    return [unknownName(`${path}.people.entity`, 'entity', people.entity, names, 'list_entities', 'unknown_entity')]
  }
  if (!entity.isTenantUserRole) {
    const bridged = catalog.entities.filter((one) => one.isTenantUserRole).map((one) => one.internalName)
    const suggestion = nearest(entity.internalName, bridged)
    const message = `The records of ${entity.internalName} are not linked to users. set_entity_identity_bridge links them.`
    return [finding(`${path}.people.entity`, message, { suggestion })]
  }
  return people.filter === undefined ? [] : floor.findFilterIssues(catalog, entity, people.filter, `${path}.people.filter`, false)
}

function findPropertyIssues(entity: CatalogEntity, rule: AccessRuleInput, path: string): Finding[] {
  return (['hidden', 'readOnly'] as const).flatMap((list) =>
    (rule[list] ?? []).flatMap((name, index) => {
      if (findNamed(entity, name)) return []
      const suggestion =
        typeof name === 'string'
          ? nearest(
              name,
              entity.properties.map((one) => one.internalName),
            )
          : undefined
      const message = `${entity.internalName} has no property ${quoted(name)}. describe_entity shows them.`
      return [finding(`${path}.${list}[${index}]`, message, { suggestion, code: 'unknown_property' })]
    }),
  )
}
