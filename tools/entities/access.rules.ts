/** Access rules as they are stored: what they name, and what they mean in the catalog of today. */
import { createHash } from 'node:crypto'

import { roleBits } from '#platform/roles.ts'
import {
  type DefinitionRow,
  type Reference,
  referencesOfFilter,
  referencesOfTokens,
  todaysBody,
  type Vocabulary,
} from '#tools/definitions/service.ts'

import type { AccessRuleInput } from './access.schema.ts'
import { type AccessRule, accessVerbs, type EntityAccess } from './catalog.types.ts'

type Home = Vocabulary['entities'][number]

/** Everything that rules name, by place. */
export function referencesOfRules(vocabulary: Vocabulary, home: Home, rules: readonly AccessRuleInput[]): Reference[] {
  return rules.flatMap((rule, index) => {
    const at = ['rules', index] as const
    const listed = (['hidden', 'readOnly'] as const).flatMap((list) =>
      (rule[list] ?? []).flatMap((name, position) => {
        const property = findNamed(home, name)
        return property ? [{ at: [...at, list, position], entityId: home.entityId, propertyId: property.propertyId }] : []
      }),
    )
    const people = rule.people && vocabulary.byIdOrName.get(String(rule.people.entity).toLowerCase())
    return [
      ...listed,
      ...(people ? [{ at: [...at, 'people', 'entity'], entityId: people.entityId }] : []),
      ...(people ? referencesOfFilter(vocabulary, people, rule.people?.filter, [...at, 'people', 'filter']) : []),
      ...referencesOfFilter(vocabulary, home, rule.filter, [...at, 'filter']),
      ...referencesOfTokens(vocabulary, rule.filter, [...at, 'filter']),
    ]
  })
}

/** A property of the entity by id or internalName. */
export function findNamed(home: Home, name: string | number): Home['properties'][number] | undefined {
  const text = String(name).toLowerCase()
  return home.properties.find(
    (one) => one.internalName.toLowerCase() === text || String(one.propertyId) === text || String(one.entityPropertyId) === text,
  )
}

/** The rules of an entity as calls are held against them. A rule whose filter names what is gone reaches nothing. */
export function accessOf(row: DefinitionRow, vocabulary: Vocabulary): EntityAccess {
  const { body, references, gone } = todaysBody(row, vocabulary)
  // Written by set_entity_access, which has parsed it.
  const rules = body['rules'] as readonly AccessRuleInput[]
  const home = vocabulary.byIdOrName.get(String(row.entityId))
  const listed = (index: number, list: string) =>
    new Set(references.flatMap(({ at, propertyId }) => (at?.[1] === index && at[2] === list ? (propertyId ?? []) : [])))
  return {
    mark: createHash('sha1').update(row.body).digest('base64url'),
    rules: rules.flatMap((rule, index): AccessRule[] => {
      const isDead = gone.some((finding) => new RegExp(`^\\$\\.rules\\[${index}\\]\\.(?:filter|people)`).test(finding.path))
      const who = whoOf(rule, vocabulary)
      if (isDead || !home || !who) return []
      return [
        {
          who,
          verbs: new Set(accessVerbs.filter((verb) => rule[verb] === true)),
          filter: rule.filter,
          hidden: listed(index, 'hidden'),
          readOnly: listed(index, 'readOnly'),
          seesSensitive: rule.seesSensitive === true,
        },
      ]
    }),
  }
}

function whoOf({ role, tenantUserId, people }: AccessRuleInput, vocabulary: Vocabulary): AccessRule['who'] | undefined {
  if (role !== undefined) return { roleBit: roleBits[role] }
  if (tenantUserId !== undefined) return { tenantUserId }
  const entity = people && vocabulary.byIdOrName.get(String(people.entity).toLowerCase())
  return entity && { entityId: entity.entityId, filter: people.filter }
}
