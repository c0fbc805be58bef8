/** What is wrong with the names in a definition: nothing has them, or what has them does not fit. */
import { misnamed } from '#platform/field-synonyms.ts'
import { pathText } from '#platform/issues.ts'
import { quoted } from '#platform/suggest.ts'
import type { Shapes } from '#platform/tokens/shape.ts'
import { mayHoldTokens } from '#platform/tokens/template.ts'
import { readDuration, readTime } from '#platform/tokens/zoned.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'
import { definitionNouns } from '#tools/definitions/definitions.schema.ts'
import { type CatalogEntity, propertyIndex } from '#tools/entities/catalog.types.ts'
import { systemFields } from '#tools/properties/operators.types.ts'
import type { DataType } from '#tools/properties/properties.schema.ts'
import { unknownProperty } from '#tools/query/service.ts'

import { anyValue, numberValue, object } from '../shapes.rules.ts'
import { readTyped } from '../values/typed.rules.ts'
import { findTriggerType, triggerTypes } from '../trigger-types.rules.ts'
import { isObject, listIn, type Place, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import type { Facts } from './facts.types.ts'
import { variable } from './grammar.schema.ts'
import { findAssigneeProblems } from './people.rules.ts'
import { type DefinitionUse, entityAt, isDefinitionUse, type NamedDefinition } from './references.rules.ts'
import { findConditionProblems, type Scope } from './scope.rules.ts'
import { entityOf, isSlot } from './slots.rules.ts'
import type { Naming } from './walking.rules.ts'

const listers = {
  form: 'list_forms',
  report: 'list_reports',
  view: 'list_views',
  workflow: 'list_workflows',
  messageTemplate: 'list_message_templates',
} as const

function unknownEntity(facts: Facts, value: unknown, at: Place): Finding {
  const names = facts.catalog.entities.map((one) => one.internalName)
  return unknownName(pathText(at), 'entity', value, names, 'list_entities', 'unknown_entity')
}

function ofDuration(value: unknown, at: Place): Finding[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => ofDuration(one, [...at, index]))
  if (typeof value !== 'string' || mayHoldTokens(value) || readDuration(value)) return []
  return [finding(pathText(at), `${quoted(value)} is no duration. ISO 8601 is meant: PT5M, PT4H, P1D.`)]
}

function ofTime(value: unknown, at: Place): Finding[] {
  if (typeof value !== 'string' || mayHoldTokens(value) || readTime(value)) return []
  return [finding(pathText(at), `${quoted(value)} is no time. Send ISO 8601, such as 2026-03-01T08:30:00Z, or a token.`)]
}

function ofChannels(channels: readonly string[], value: unknown, at: Place): Finding[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => ofChannels(channels, one, [...at, index]))
  if (typeof value !== 'string' || mayHoldTokens(value) || channels.some((one) => one.toLowerCase() === value.toLowerCase())) return []
  return [unknownName(pathText(at), 'channel', value, channels, 'list_channels')]
}

/** A property of one of these types. */
function ofTypedProperty(entity: CatalogEntity, value: unknown, at: Place, types: readonly DataType[]): Finding[] {
  const property = propertyIndex(entity.properties).get(String(value).toLowerCase())
  const fitting = entity.properties.filter(({ dataType }) => types.includes(dataType)).map(({ internalName }) => internalName)
  if (!property) return [unknownProperty(entity.internalName, value, fitting, pathText(at))]
  if (types.includes(property.dataType)) return []
  const has = fitting.length === 0 ? 'has none' : `has ${fitting.slice(0, 20).join(', ')}`
  const message = `${property.internalName} is a ${property.dataType}; a ${types.join(' or ')} is meant here. ${entity.internalName} ${has}.`
  return [finding(pathText(at), message)]
}

function ofProperties(entity: CatalogEntity, value: unknown, at: Place, hasFields = true): Finding[] {
  const index = propertyIndex(entity.properties)
  const names = [...entity.properties.map((one) => one.internalName), ...(hasFields ? systemFields : [])]
  const one = (name: unknown, place: Place) =>
    index.has(String(name).toLowerCase()) || (hasFields && systemFields.some((field) => field === name))
      ? []
      : [unknownProperty(entity.internalName, name, names, pathText(place))]
  return Array.isArray(value) ? value.flatMap((name: unknown, n) => one(name, [...at, n])) : one(value, at)
}

function ofOperation(facts: Facts, value: unknown, { config }: Naming, at: Place): Finding[] {
  const path = pathText(at)
  const operation = facts.operations.find(String(value))
  if (!operation) return [unknownName(path, 'tool', value, facts.operations.names, 'docs_search')]
  const { name } = operation
  if (operation.issuesSecret) return [finding(path, `${name} answers a secret, which no run may hold. Call it yourself.`)]
  if (name.startsWith('await_')) return [finding(path, `${name} waits. Use a step ask or waitForEvent.`)]
  const { input } = config
  const given = isObject(input) ? input : {}
  const inputAt = [...at.slice(0, -1), 'input']
  const unknown = Object.keys(given).filter((key) => !operation.fields.includes(key))
  const missing = operation.required.filter((key) => given[key] === undefined)
  return [
    ...unknown.slice(0, 20).map((key) => {
      const { said, suggestion } = misnamed(quoted(key), key, operation.fields)
      return finding(pathText([...inputAt, key]), `${said} ${name} takes ${operation.fields.slice(0, 40).join(', ')}.`, { suggestion })
    }),
    ...missing.map((key) => finding(pathText([...inputAt, key]), `Required by ${name}.`)),
  ]
}

const fixedHost = /^https?:\/\/([^/?#[\]@\\\s]+)(?:[/?#]|$)/i

function ofSecrets(facts: Facts, value: unknown, { config }: Naming, at: Place): Finding[] {
  if (!isObject(value)) return []
  const host = typeof config['url'] === 'string' ? fixedHost.exec(config['url'])?.[1]?.toLowerCase() : undefined
  return Object.entries(value).flatMap(([header, name]) => {
    const path = pathText([...at, header])
    const hosts = facts.secrets.get(String(name).toLowerCase())
    if (!hosts) return [unknownName(path, 'secret', name, facts.secrets.keys(), 'list_secrets')]
    if (host === undefined || hosts.some((one) => one.toLowerCase() === host || one.toLowerCase() === host.replace(/:\d+$/, ''))) return []
    return [finding(path, `The secret ${quoted(name)} is for ${hosts.join(', ')}, not for ${quoted(host)}. save_secret names its hosts.`)]
  })
}

/** What came back of a call outside, for the condition that says whether it went well. */
const response = object({ status: numberValue, headers: anyValue, body: anyValue })

export interface NamingCheck {
  readonly facts: Facts
  readonly body: WorkflowBody
  readonly scope: Scope
  readonly roots: Shapes
}

/** The user of the runs is neither its owner nor, without that role, a builder. */
function isUnseen(use: DefinitionUse, { isShared }: NamedDefinition, { roles = [] }: WorkflowBody): use is 'report' | 'view' {
  return (use === 'report' || use === 'view') && !isShared && !roles.includes('BuilderAdmin')
}

function ofUnseen(use: 'report' | 'view', name: string, at: Place): Finding {
  const message = `The ${use} ${name} is not shared: the user of the runs does not see it. update_${use} with isShared: true shares it.`
  return finding(pathText(at), message, { severity: 'warning' })
}

/** Whoever gets the task fills it in, as far as they see the form. */
function ofUnseenForm({ internalName, isShared }: NamedDefinition, at: Place): Finding[] {
  // What fires on it asks nobody to see it.
  if (isShared || at.includes('triggers') || at.includes('trigger')) return []
  const message = `The form ${internalName} is not shared: of those who get the task its owner and builders alone can fill it in. update_form with isShared: true shares it.`
  return [finding(pathText(at), message, { severity: 'warning' })]
}

/** What is wrong with one name. Targets are looked at by list, triggers by themselves. */
export function findNamingProblems({ facts, body, scope, roots }: NamingCheck, one: Naming): Finding[] {
  const { use, value, at } = one
  if (isDefinitionUse(use)) {
    const found = isSlot(value) ? facts.named[use].get(String(value).toLowerCase()) : undefined
    if (!found) return [unknownName(pathText(at), definitionNouns[use], value, facts.known[use], listers[use])]
    if (use === 'form') return ofUnseenForm(found, at)
    return isUnseen(use, found, body) ? [ofUnseen(use, found.internalName, at)] : []
  }
  switch (use) {
    case 'entity':
      return entityOf(facts.catalog, value) ? [] : [unknownEntity(facts, value, at)]
    case 'operation':
      return ofOperation(facts, value, one, at)
    case 'channel':
      return ofChannels(facts.channels, value, at)
    case 'secrets':
      return ofSecrets(facts, value, one, at)
    case 'duration':
      return ofDuration(value, at)
    case 'time':
      return ofTime(value, at)
    case 'assignee':
    case 'recipient': {
      const people = isObject(value) ? valueAt(value, 'people') : undefined
      const bridged = isObject(people) ? entityOf(facts.catalog, people['entity']) : undefined
      const filter = isObject(people) ? people['filter'] : undefined
      const path = pathText([...at, 'people', 'filter'])
      return [
        ...findAssigneeProblems(facts, body, value, at, use === 'recipient'),
        ...(bridged && filter !== undefined ? findConditionProblems(scope, roots, bridged, filter, path) : []),
      ]
    }
    case 'variables': {
      const names = listIn(body.variables)
        .filter(isObject)
        .map(({ name }) => String(name))
      if (!isObject(value)) return []
      const unknown = Object.keys(value).filter((name) => !names.includes(name))
      return [
        ...unknown.slice(0, 20).map((name) => unknownName(pathText([...at, name]), 'variable', name, names, 'variables[] of the workflow')),
        ...findMistyped(body, value, at),
      ]
    }
    case 'response':
      return findConditionProblems(scope, { ...roots, $response: response }, scope.own, value, pathText(at))
    case 'step':
    case 'trigger':
      return []
    default:
      return ofRecords(facts, scope, roots, one)
  }
}

/** New values of variables that are written out, of another type than the variable has. A text may hold anything. */
function findMistyped(body: WorkflowBody, values: Said, at: Place): Finding[] {
  return listIn(body.variables).flatMap((one) => {
    const read = variable.safeParse(one)
    if (!read.success || (read.data.dataType === 'Text' && read.data.isList !== true)) return []
    const value = values[read.data.name] ?? null
    const text = JSON.stringify(value)
    if (value === null || text.includes('[[') || text.includes('"$')) return []
    const typed = readTyped(read.data, value)
    return 'problem' in typed ? [finding(pathText([...at, read.data.name]), typed.problem)] : []
  })
}

function ofRecords(facts: Facts, scope: Scope, roots: Shapes, one: Naming): Finding[] {
  const { use, value, at } = one
  if (typeof use === 'string') return []
  if ('childOf' in use) {
    const child = entityOf(facts.catalog, value)
    const parent = entityAt(facts.catalog, scope.own, one, use.childOf)
    if (!child) return [unknownEntity(facts, value, at)]
    if (!parent) return [finding(pathText(at), 'The workflow has no entity whose children these could be. Name its entity.')]
    if (parent.children.some(({ entityId }) => entityId === child.entityId)) return []
    return [
      finding(pathText(at), `${child.internalName} is no child of ${parent.internalName}. list_entity_relationships shows what it has.`),
    ]
  }
  const field = 'filterOf' in use ? use.filterOf : 'valuesOf' in use ? use.valuesOf : use.propertyOf
  const entity = entityAt(facts.catalog, scope.own, one, field)
  // An entity that is unknown is told of where it is named.
  if (!entity) return []
  if ('filterOf' in use) return findConditionProblems(scope, roots, entity, value, pathText(at))
  if ('propertyOf' in use) return use.types ? ofTypedProperty(entity, value, at, use.types) : ofProperties(entity, value, at)
  return isObject(value) ? Object.keys(value).flatMap((name) => ofProperties(entity, name, [...at, name], false)) : []
}

/** The type of a trigger; a finding where there is none. */
export function findTriggerTypeProblem(said: Said, at: Place): Finding[] {
  if (findTriggerType(said['triggerType'])) return []
  const names = triggerTypes.map(({ internalName }) => internalName)
  return [unknownName(pathText([...at, 'triggerType']), 'trigger type', said['triggerType'], names, 'get_schema')]
}
