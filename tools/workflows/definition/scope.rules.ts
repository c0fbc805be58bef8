/** What tokens of a definition may name at each place, and conditions, whose rules may go by a token too. */
import { nearest, quoted } from '#platform/suggest.ts'
import { checkTokens, shapeOfToken } from '#platform/tokens/check.ts'
import type { ScalarType, Shape, Shapes } from '#platform/tokens/shape.ts'
import { mayHoldTokens } from '#platform/tokens/template.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { operators } from '#tools/properties/operators.types.ts'
import { findFilterProblems, shapeOfRecord, shapesOfCaller } from '#tools/query/service.ts'

import { anyValue, list, numberValue, object, reportRow, timeValue } from '../shapes.rules.ts'
import { findTriggerType } from '../trigger-types.rules.ts'
import { isObject, listIn, type Said, valueAt, type Variable, type WorkflowBody } from './definition.types.ts'
import { entityOf } from './slots.rules.ts'
import { allSteps, type StepList } from './walking.rules.ts'

const types: Readonly<Record<string, ScalarType>> = {
  Number: 'number',
  Currency: 'number',
  DateTime: 'dateTime',
  DateOnly: 'date',
  TimeOnly: 'time',
  Boolean: 'boolean',
  Text: 'text',
}

/** A text may hold JSON, and a choice is a text: of these nothing more is known than that they are there. */
function shapeOfVariable({ dataType, isList }: Variable): Shape {
  const type = types[dataType]
  const one: Shape = type === undefined || type === 'text' ? anyValue : { kind: 'scalar', type }
  return isList === true ? list(one) : one
}

const shapesOf = (declared: unknown): Shape =>
  object(
    Object.fromEntries(
      listIn(declared)
        .filter(isObject)
        // Held against the grammar beside this: what is not of its form gives a shape that is of no use, and no more.
        .map((one) => [String(one['name']), shapeOfVariable(one as unknown as Variable)]),
    ),
  )

const recordOf = (entity: CatalogEntity | undefined): Shape => (entity ? shapeOfRecord(entity.properties) : anyValue)

/** What `$trigger` may hold: the payloads of all triggers, and of a start by hand. */
function triggerShape(catalog: Catalog, own: CatalogEntity | undefined, triggers: readonly Said[]): Shape {
  const manual = findTriggerType('manual')?.payload(anyValue) ?? {}
  const payloads = triggers.map(({ triggerType, config }) => {
    const type = findTriggerType(triggerType)
    const entity = type?.ofEntity === undefined ? own : entityOf(catalog, valueAt(config, type.ofEntity))
    return type?.payload(recordOf(entity)) ?? {}
  })
  const fields: Record<string, Shape> = {}
  for (const [name, shape] of [manual, ...payloads].flatMap((payload) => Object.entries(payload)))
    fields[name] = fields[name] === undefined ? shape : anyValue
  return object(fields)
}

/** The results of all steps, by their names. */
function resultsOf(catalog: Catalog, body: Pick<WorkflowBody, 'steps'>): Shape {
  const results = [...allSteps(body)].map(({ said, type, config }): [string, Shape] => {
    const result = type?.result ?? anyValue
    const entity = type?.recordIn && entityOf(catalog, valueAt(config, type.recordIn.entity))
    const record = type?.recordIn && entity && result.kind === 'object' ? { [type.recordIn.result]: recordOf(entity) } : {}
    return [String(said['internalName']), result.kind === 'object' ? object({ ...result.fields, ...record }) : result]
  })
  return object(Object.fromEntries(results))
}

export interface Scope {
  readonly catalog: Catalog
  readonly own: CatalogEntity | undefined
  /** What stands everywhere. */
  readonly roots: Shapes
}

export function scopeOf(catalog: Catalog, body: WorkflowBody): Scope {
  const own = entityOf(catalog, body.entity)
  const roots: Shapes = {
    ...shapesOfCaller,
    ...(own ? { [own.internalName]: recordOf(own) } : {}),
    $trigger: triggerShape(catalog, own, body.triggers),
    $input: shapesOf(body.input),
    $vars: shapesOf(body.variables),
    $steps: resultsOf(catalog, body),
    $run: object({
      id: numberValue,
      number: numberValue,
      startedDate: timeValue,
      ...(body.pack || body.settings ? { installId: numberValue } : {}),
    }),
    ...(body.settings ? { $settings: shapesOf(body.settings) } : {}),
  }
  return { catalog, own, roots }
}

/** What the innermost of the loops hands to its steps, one after another. */
function itemOf(scope: Scope, loops: StepList['loops']): Shape {
  const over = loops.at(-1)?.['over']
  if (typeof over === 'string') {
    const shape = shapeOfToken(over, rootsIn(scope, { loops: loops.slice(0, -1) }))
    return shape?.kind === 'list' ? shape.of : anyValue
  }
  if (valueAt(over, 'report') !== undefined) return reportRow
  const children = valueAt(over, 'children')
  return children === undefined ? anyValue : recordOf(entityOf(scope.catalog, children))
}

/** Inside loops also the element and its number. */
export function rootsIn(scope: Scope, { loops }: Pick<StepList, 'loops'>): Shapes {
  if (loops.length === 0) return scope.roots
  return { ...scope.roots, $item: itemOf(scope, loops), $index: numberValue }
}

/** Without the record that a run is about. */
export function rootsWithoutRecord({ own, roots }: Scope): Shapes {
  return Object.fromEntries(Object.entries(roots).filter(([name]) => name !== own?.internalName))
}

// Deeper than any filter may nest; what is not sound is told by the parser of filters.
const maxDepth = 16

const holdsTokens = (value: unknown) => [value].flat().some((one) => typeof one === 'string' && mayHoldTokens(one))
const isPath = (property: unknown): property is string => typeof property === 'string' && property.startsWith('$')

interface Conditions {
  readonly roots: Shapes
  readonly findings: Finding[]
  /** Paths of values that tokens stand for. */
  readonly unknown: Set<string>
}

/** A rule that says nothing of the record in place of one that goes by a token, so that the parser of filters can read the rest. */
const neutral = { property: 'eiRecordId', op: 'isNotEmpty' }

function readRule(rule: unknown, path: string, at: Conditions): unknown {
  if (!isObject(rule)) return rule
  const { property, op, value } = rule
  if (holdsTokens(value)) {
    at.unknown.add(`${path}.value`)
    at.findings.push(...checkTokens(value, at.roots, `${path}.value`))
  }
  if (!isPath(property)) return rule
  at.findings.push(...checkTokens(`[[${property}]]`, at.roots, `${path}.property`))
  if (typeof op !== 'string' || !operators.some((one) => one === op)) {
    const suggestion = typeof op === 'string' ? nearest(op, operators) : undefined
    at.findings.push(finding(`${path}.op`, `There is no operator ${quoted(op)}. Operators: ${operators.join(' ')}.`, { suggestion }))
  }
  if (value === undefined && op !== 'isEmpty' && op !== 'isNotEmpty') at.findings.push(finding(`${path}.value`, 'Required.'))
  return neutral
}

function readGroup(filter: unknown, path: string, depth: number, at: Conditions): unknown {
  if (depth > maxDepth) return filter
  if (Array.isArray(filter)) return filter.map((rule: unknown, index) => readRule(rule, `${path}[${index}]`, at))
  if (!isObject(filter)) return filter
  const { rules, groups } = filter
  return {
    ...filter,
    ...(Array.isArray(rules) ? { rules: rules.map((rule: unknown, index) => readRule(rule, `${path}.rules[${index}]`, at)) } : {}),
    ...(Array.isArray(groups)
      ? { groups: groups.map((group: unknown, index) => readGroup(group, `${path}.groups[${index}]`, depth + 1, at)) }
      : {}),
  }
}

const isUnder = (path: string, places: ReadonlySet<string>) => [...places].some((place) => path === place || path.startsWith(`${place}[`))

/** Whether some rule goes by a property of the record. */
function asksRecord(filter: unknown, depth = 0): boolean {
  if (depth > maxDepth) return false
  if (Array.isArray(filter)) return filter.some((one) => isObject(one) && !isPath(one['property']))
  if (!isObject(filter)) return false
  return asksRecord(listIn(filter['rules'])) || listIn(filter['groups']).some((one) => asksRecord(one, depth + 1))
}

/** What is wrong with a condition or a filter on records of an entity; in a condition a rule may go by a token, without its brackets. */
export function findConditionProblems(
  scope: Scope,
  roots: Shapes,
  home: CatalogEntity | undefined,
  filter: unknown,
  path: string,
): Finding[] {
  const at: Conditions = { roots, findings: [], unknown: new Set() }
  const rest = readGroup(filter, path, 0, at)
  if (!home) {
    if (asksRecord(filter))
      at.findings.push(
        finding(
          path,
          'The workflow has no entity, so no rule can go by a property of its record. Name its entity, or go by a token such as $steps.check.action.',
        ),
      )
    return at.findings
  }
  const found = findFilterProblems(scope.catalog, home, rest, path)
  return [...at.findings, ...found.filter((one) => !isUnder(one.path, at.unknown))]
}
