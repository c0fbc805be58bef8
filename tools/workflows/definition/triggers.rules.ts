/** What is wrong with the triggers of a definition. */
import { pathText } from '#platform/issues.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import type { Shape } from '#platform/tokens/shape.ts'
import { mayHoldTokens } from '#platform/tokens/template.ts'
import { type Finding, finding, readDraft } from '#platform/validation.ts'

import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { shapeOfRecord } from '#tools/query/service.ts'

import { findTriggerType } from '../trigger-types.rules.ts'
import { isObject, listIn, type Place, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import type { Facts } from './facts.types.ts'
import { trigger as triggerSchema } from './grammar.schema.ts'
import { findNamingProblems, findTriggerTypeProblem } from './naming.rules.ts'
import { entityOf } from './slots.rules.ts'
import { findConditionProblems, rootsWithoutRecord, type Scope } from './scope.rules.ts'
import { namingsOfTrigger, type PlacedStep } from './walking.rules.ts'

/** A config held against its type, for triggers and for waits. */
export function findTriggerConfigProblems(facts: Facts, said: Said, at: Place): Finding[] {
  const type = findTriggerType(said['triggerType'])
  if (!type) return findTriggerTypeProblem(said, at)
  const config = isObject(said['config']) ? said['config'] : {}
  const path = pathText([...at, 'config'])
  const read = readDraft(type.config, config, path)
  if (!read.isOk) return [...read.findings]
  return (type.check?.(config, facts.now) ?? []).map(({ field, message, suggestion }) =>
    finding(field === '' ? path : `${path}.${field}`, message, { suggestion }),
  )
}

function filterProblems(scope: Scope, said: Said, at: Place, $trigger: Shape | undefined): Finding[] {
  const { filter } = said
  if (filter === undefined) return []
  const type = findTriggerType(said['triggerType'])
  const entity = type?.ofEntity === undefined ? scope.own : entityOf(scope.catalog, valueAt(said['config'], type.ofEntity))
  const { $user, $tenant, $now, $today } = scope.roots
  // Before a run there are neither variables nor results.
  const named = Object.entries({ $trigger, $user, $tenant, $now, $today }).flatMap(([name, shape]) =>
    shape ? [[name, shape] as const] : [],
  )
  return findConditionProblems(scope, Object.fromEntries(named), entity, filter, pathText([...at, 'filter']))
}

/** The filter of what a step waits for: it belongs to the version, so that it holds nothing of the run. */
export function findWaitFilterProblems(scope: Scope, { at, type, config }: PlacedStep): Finding[] {
  const { trigger } = config
  if (type?.names['trigger'] !== 'trigger' || !isObject(trigger)) return []
  const entity = entityOf(scope.catalog, valueAt(trigger['config'], findTriggerType(trigger['triggerType'])?.ofEntity ?? '')) ?? scope.own
  const record: Shape = entity ? shapeOfRecord(entity.properties) : { kind: 'any' }
  const fields = findTriggerType(trigger['triggerType'])?.payload(record)
  const place = [...at, 'config', 'trigger']
  const path = pathText([...place, 'filter'])
  const holdsTokens = mayHoldTokens(JSON.stringify(trigger['filter'] ?? null))
  return [
    ...filterProblems(scope, trigger, place, fields && { kind: 'object', fields }),
    ...(holdsTokens
      ? [
          finding(
            path,
            'The filter of a wait belongs to the version and holds no tokens. What differs between runs is eiRecordId in its config.',
          ),
        ]
      : []),
  ]
}

/** Where steps name the record that a run is about. */
function anchorPaths(scope: Scope, body: WorkflowBody, own: CatalogEntity): readonly string[] {
  const others = new Set(checkTokens(body.steps, scope.roots, '$.steps').map(({ path, message }) => `${path} ${message}`))
  const begins = `[[${own.internalName}`
  return checkTokens(body.steps, rootsWithoutRecord(scope), '$.steps')
    .filter(({ path, message }) => message.startsWith(begins) && !others.has(`${path} ${message}`))
    .map(({ path }) => path)
}

/** What comes from outside or by the clock names no record. */
const bringsNone = ({ triggerType, config }: Said) =>
  triggerType === 'webhookReceived' || (triggerType === 'schedule' && valueAt(config, 'entity') === undefined)

/** How many steps every run carries out: none before them leads elsewhere, and they are not left out. */
function sureSteps({ steps }: WorkflowBody): number {
  const parting = steps.findIndex(({ when, branches }) => when !== undefined || listIn(branches).length > 0)
  if (parting < 0) return steps.length
  return steps[parting]?.['when'] === undefined ? parting + 1 : parting
}

/** What names the record, in a workflow whose runs a batch, a webhook or the clock may start: these have none. */
function findAnchorTokens(scope: Scope, body: WorkflowBody): Finding[] {
  const { own } = scope
  if (!own) return []
  const isBatch = body.triggers.some((said) => valueAt(said['config'], 'perRecord') === false)
  const lonely = body.triggers.findIndex(bringsNone)
  const paths = isBatch || lonely >= 0 ? anchorPaths(scope, body, own) : []
  if (paths.length === 0) return []
  // Behind a condition it may well be known that there is one.
  const isSure = Array.from({ length: sureSteps(body) }, (_none, index) => `$.steps[${index}].`).some((begin) =>
    paths.some((path) => path.startsWith(begin)),
  )
  const { internalName } = own
  return [
    ...paths.flatMap((path) =>
      isBatch
        ? [
            finding(
              path,
              `A trigger with perRecord: false starts one run for a batch, which has no ${internalName}. Go by $trigger.eiRecordIds, or leave perRecord out.`,
            ),
          ]
        : [],
    ),
    ...(lonely < 0 || !isSure
      ? []
      : [
          finding(
            `$.triggers[${lonely}]`,
            `It names no ${internalName}, so that [[${internalName}.…]] is empty in the runs it starts. Find the record with getRecord, or use another workflow.`,
            { severity: 'warning' },
          ),
        ]),
  ]
}

function ofOne(facts: Facts, scope: Scope, body: WorkflowBody, said: Said, index: number): Finding[] {
  const at: Place = ['triggers', index]
  const { triggerId, ...rest } = said
  const read = readDraft(triggerSchema, rest, pathText(at))
  if (!read.isOk) return [...read.findings]
  const type = findTriggerType(said['triggerType'])
  const { config, filter } = rest
  const entity = type?.ofEntity === undefined ? undefined : entityOf(scope.catalog, valueAt(config, type.ofEntity))
  const isOfAnother = entity && scope.own && entity.entityId !== scope.own.entityId && valueAt(config, 'perRecord') !== false
  const isUnsigned = type?.internalName === 'webhookReceived' && !facts.signedTriggers.has(Number(triggerId))
  return [
    ...findTriggerConfigProblems(facts, said, at),
    ...[...namingsOfTrigger(said, at)].flatMap((one) => findNamingProblems({ facts, body, scope, roots: {} }, one)),
    ...filterProblems(scope, { ...said, filter }, at, scope.roots['$trigger']),
    ...(valueAt(config, 'eiRecordId') === undefined
      ? []
      : [finding(pathText([...at, 'config', 'eiRecordId']), 'Of a wait alone. A filter on eiRecordId says which records start runs.')]),
    ...(isOfAnother
      ? [
          finding(
            pathText([...at, 'config']),
            `Records of ${entity.internalName} start it, and the workflow is about ${scope.own?.internalName}: these runs have no record of it. $trigger tells which record it was.`,
            { severity: 'warning' },
          ),
        ]
      : []),
    ...(isUnsigned ? [finding(pathText(at), 'The webhook has no secret yet. set_workflow_triggers makes one and shows it once.')] : []),
  ]
}

export function findTriggerProblems(facts: Facts, scope: Scope, body: WorkflowBody): Finding[] {
  const names = new Set<string>()
  const twice = body.triggers.flatMap(({ internalName }, index) => {
    if (typeof internalName !== 'string') return []
    const isKnown = names.has(internalName.toLowerCase())
    names.add(internalName.toLowerCase())
    return isKnown ? [finding(`$.triggers[${index}].internalName`, 'An earlier trigger has this name.')] : []
  })
  return [...twice, ...body.triggers.flatMap((said, index) => ofOne(facts, scope, body, said, index)), ...findAnchorTokens(scope, body)]
}
