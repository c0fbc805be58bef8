/** Who is to act or be told: assignees that nobody can be. */
import { pathText } from '#platform/issues.ts'
import { roleBits, type RoleName, roleNames } from '#platform/roles.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { unknownProperty } from '#tools/query/service.ts'

import { isObject, listIn, type Place, type Said, type WorkflowBody } from './definition.types.ts'
import type { Facts } from './facts.types.ts'
import { entityOf } from './slots.rules.ts'

const waysToName = ['tenantUserId', 'role', 'people', 'property', 'parent', 'peer', 'variable', 'eiRecordId'] as const
const addresses = ['phone', 'email'] as const

function notBridged(entity: CatalogEntity, at: Place): Finding {
  return finding(
    pathText(at),
    `Records of ${entity.internalName} are not linked to users: nobody can be one. set_entity_identity_bridge links them.`,
  )
}

function bridgedAt(facts: Facts, slot: unknown, at: Place): Finding[] {
  const entity = entityOf(facts.catalog, slot)
  const names = facts.catalog.entities.map((one) => one.internalName)
  if (!entity) return [unknownName(pathText(at), 'entity', slot, names, 'list_entities', 'unknown_entity')]
  return entity.isTenantUserRole ? [] : [notBridged(entity, at)]
}

function ofProperty(own: CatalogEntity | undefined, name: unknown, at: Place): Finding[] {
  const path = pathText(at)
  if (!own) return [finding(path, 'The workflow has no entity whose property could say who it is. Name its entity.')]
  const text = String(name).toLowerCase()
  const property = own.properties.find((one) => one.internalName.toLowerCase() === text || String(one.propertyId) === text)
  if (!property)
    return [
      unknownProperty(
        own.internalName,
        name,
        own.properties.map((one) => one.internalName),
        path,
      ),
    ]
  if (property.dataType === 'Number' || property.dataType === 'Text') return []
  return [
    finding(
      path,
      `${property.internalName} is a ${property.dataType}. A Number holds a tenantUserId, a Text an e-mail or phone of a user.`,
    ),
  ]
}

function ofRelative(facts: Facts, own: CatalogEntity | undefined, link: 'parent' | 'peer', slot: unknown, at: Place): Finding[] {
  const problems = bridgedAt(facts, slot, at)
  const other = entityOf(facts.catalog, slot)
  if (problems.length > 0 || !other) return problems
  if (!own) return [finding(pathText(at), 'The workflow has no entity that could have one. Name its entity.')]
  const isRelated = link === 'peer' ? own.peers.includes(other.entityId) : own.parents.some(({ entityId }) => entityId === other.entityId)
  if (isRelated) return []
  return [
    finding(
      pathText(at),
      `${other.internalName} is no ${link} of ${own.internalName}. list_entity_relationships shows what it is related to.`,
    ),
  ]
}

function ofVariable(body: WorkflowBody, name: unknown, at: Place): Finding[] {
  const names = listIn(body.variables)
    .filter(isObject)
    .map((one) => String(one['name']))
  return names.includes(String(name)) ? [] : [unknownName(pathText(at), 'variable', name, names, 'variables[] of the workflow')]
}

function ofRole(facts: Facts, role: unknown, at: Place): Finding[] {
  const isRole = typeof role === 'string' && roleNames.some((one) => one === role)
  if (!isRole) return []
  // Found among the names of roles above.
  const bit = roleBits[role as RoleName]
  if ((facts.heldRoles & bit) !== 0) return []
  return [finding(pathText(at), `Nobody holds ${role} today. set_user_roles gives it.`, { severity: 'warning' })]
}

/** What is wrong with an assignee, or a recipient, of a step. */
export function findAssigneeProblems(facts: Facts, body: WorkflowBody, said: unknown, at: Place, isRecipient: boolean): Finding[] {
  if (!isObject(said)) return []
  const allowed = isRecipient ? [...waysToName, ...addresses] : waysToName
  const used = allowed.filter((name) => said[name] !== undefined)
  if (used.length !== 1) return [finding(pathText(at), `Exactly one of ${allowed.join(', ')}.`)]
  const own = entityOf(facts.catalog, body.entity)
  const [way] = used
  const place = [...at, way ?? '']
  const value = way && said[way]
  switch (way) {
    case 'tenantUserId':
      return typeof value === 'number' && !facts.users.has(value)
        ? [finding(pathText(place), `There is no user ${value}. list_users shows them.`)]
        : []
    case 'role':
      return ofRole(facts, value, place)
    case 'people':
      return isObject(value) ? bridgedAt(facts, value['entity'], [...place, 'entity']) : []
    case 'property':
      return ofProperty(own, value, place)
    case 'parent':
    case 'peer':
      return ofRelative(facts, own, way, value, place)
    case 'variable':
      return ofVariable(body, value, place)
    default:
      return []
  }
}

/** Steps that `notBy` keeps apart are steps of the definition. */
export function findNotByProblems(said: Said, at: Place, names: readonly string[]): Finding[] {
  // Of a longer list the grammar tells.
  return listIn(said['notBy'])
    .slice(0, 20)
    .flatMap((name, index) => {
      if (name === 'startedBy' || names.includes(String(name))) return []
      const path = pathText([...at, 'notBy', index])
      return [
        finding(path, `There is no step ${quoted(name)}. Name a step, or startedBy.`, {
          suggestion: nearest(String(name), ['startedBy', ...names]),
        }),
      ]
    })
}
