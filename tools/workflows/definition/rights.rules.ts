/** What the run of a definition must be allowed: roles that it lacks, and entities whose access rules give its user nothing. */
import { pathText } from '#platform/issues.ts'
import { allows, flagOf, parseRoles, type RoleName, roleNames, roleWords } from '#platform/roles.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { AccessVerb, CatalogEntity } from '#tools/entities/catalog.types.ts'

import { findStepType } from '../step-types/registry.rules.ts'
import type { StepType } from '../step-type.types.ts'
import { isObject, type Place, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import type { Facts } from './facts.types.ts'
import { entityOf } from './slots.rules.ts'
import { allSteps } from './walking.rules.ts'

/** The roles of a definition that are roles. */
export function rolesOfBody({ roles = [] }: Pick<WorkflowBody, 'roles'>): RoleName[] {
  return roles.filter((role) => roleNames.includes(role))
}

interface Carried {
  readonly name: string
  readonly type: StepType
  readonly config: Said
  readonly at: Place
}

/** Steps and their compensations. */
function carriedOut(body: WorkflowBody): Carried[] {
  return [...allSteps(body)].flatMap(({ said, at, type, config }) => {
    const name = String(said['internalName'])
    const { compensate } = said
    const undoing = isObject(compensate) ? findStepType(compensate['stepType']) : undefined
    const undone = isObject(compensate) && isObject(compensate['config']) ? compensate['config'] : {}
    return [
      ...(type ? [{ name, type, config, at }] : []),
      ...(undoing ? [{ name: `the compensation of ${name}`, type: undoing, config: undone, at: [...at, 'compensate'] }] : []),
    ]
  })
}

const remedy = 'Add it to roles[] of the workflow.'

/** Roles that a step needs and the workflow lacks. */
export function findLackingRoles(facts: Facts, body: WorkflowBody): Finding[] {
  const flag = flagOf(rolesOfBody(body))
  return carriedOut(body).flatMap(({ name, type, config, at }) => {
    const path = pathText([...at, 'stepType'])
    const operation = type.names['operation'] === 'operation' ? facts.operations.find(String(config['operation'])) : undefined
    // What no run may call needs no role either.
    const isBarred = operation !== undefined && (operation.issuesSecret || operation.name.startsWith('await_'))
    if (operation && !isBarred && !allows(parseRoles(operation.roles), flag))
      return [finding(path, `${name} calls ${operation.name}, which needs ${roleWords(operation.roles)}. ${remedy}`)]
    const needed = typeof type.roles === 'function' ? type.roles(config) : type.roles
    const lacking = needed.filter((role) => (flagOf([role]) & flag) === 0)
    return lacking.map((role) => finding(path, `${name} needs ${role}. ${remedy}`, { suggestion: role }))
  })
}

const verbsOf: Readonly<Record<string, readonly AccessVerb[]>> = {
  getRecord: ['read'],
  saveRecord: ['create', 'edit'],
  deleteRecord: ['delete'],
  forEach: ['read'],
}

function givesAnything({ access }: CatalogEntity, verbs: readonly AccessVerb[], flag: number, userId: number | undefined): boolean {
  if (!access) return true
  return access.rules.some(({ who, verbs: given }) => {
    const isMeant = ('roleBit' in who && (who.roleBit & flag) !== 0) || ('tenantUserId' in who && who.tenantUserId === userId)
    return isMeant && verbs.some((verb) => given.has(verb))
  })
}

/** Entities whose rules give the user of the runs nothing. */
export function findBlindEntities(facts: Facts, body: WorkflowBody): Finding[] {
  const flag = flagOf(rolesOfBody(body))
  const told = new Set<number>()
  const own = entityOf(facts.catalog, body.entity)
  const touched = carriedOut(body).flatMap(({ type, config, at }) => {
    const field = type.kind === 'loop' ? 'over.children' : 'entity'
    const entity = entityOf(facts.catalog, valueAt(config, field))
    const verbs = verbsOf[type.internalName]
    return entity && verbs ? [{ entity, verbs, path: pathText([...at, 'config', ...field.split('.')]) }] : []
  })
  // A record that the user of the runs does not see starts none.
  const watched = body.triggers.flatMap((said, index) => {
    const entity = entityOf(facts.catalog, valueAt(said['config'], 'entity'))
    return entity ? [{ entity, verbs: ['read'] as const, path: `$.triggers[${index}].config.entity` }] : []
  })
  const all = [...(own ? [{ entity: own, verbs: ['read'] as const, path: '$.entity' }] : []), ...touched, ...watched]
  return all.flatMap(({ entity, verbs, path }) => {
    if (told.has(entity.entityId) || givesAnything(entity, verbs, flag, facts.serviceUserId)) return []
    told.add(entity.entityId)
    const who =
      facts.serviceUserId === undefined
        ? 'the user of its runs, whom publish_workflow makes'
        : `the user of its runs, tenantUserId ${facts.serviceUserId}`
    const message = `The access rules of ${entity.internalName} give ${who}, nothing here. set_entity_access can name a role of the workflow, or that user.`
    return [finding(path, message, { severity: 'warning' })]
  })
}
