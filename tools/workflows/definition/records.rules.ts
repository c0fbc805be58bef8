/** Where a run holds flat records, and of which entities: what started it, what its steps have read, and the item of a loop. */
import type { Shape } from '#platform/tokens/shape.ts'
import type { FlatRecords } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

import { findTriggerType } from '../trigger-types.rules.ts'
import { isObject, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import { entityOf } from './slots.rules.ts'
import { allSteps, type PlacedStep, type StepList } from './walking.rules.ts'

type Fields = ReadonlyMap<string, readonly CatalogEntity[]>

const record: Shape = { kind: 'any' }

/** The fields of what triggers leave behind that hold a record: `before` and `after`. */
function recordsOfTriggers(catalog: Catalog, own: CatalogEntity | undefined, triggers: readonly unknown[]): Fields {
  const fields = new Map<string, CatalogEntity[]>()
  for (const said of triggers.filter(isObject)) {
    const type = findTriggerType(said['triggerType'])
    if (type?.ofEntity === undefined) continue
    const entity = entityOf(catalog, valueAt(said['config'], type.ofEntity)) ?? own
    // The shape that is handed in comes back where the record stands.
    const holding = Object.entries(type.payload(record)).filter(([, shape]) => shape === record)
    for (const [field] of holding) if (entity) fields.set(field, [...(fields.get(field) ?? []), entity])
  }
  return fields
}

/** What the result of a step holds, by the names that lead to it. */
function recordsOfStep(catalog: Catalog, own: CatalogEntity | undefined, { type, config }: PlacedStep): Fields {
  if (type?.recordIn) {
    const entity = entityOf(catalog, valueAt(config, type.recordIn.entity))
    return new Map(entity ? [[type.recordIn.result, [entity]]] : [])
  }
  if (type?.names['trigger'] !== 'trigger') return new Map()
  const waited = recordsOfTriggers(catalog, own, [config['trigger']])
  return new Map([...waited].map(([field, entities]) => [`payload.${field}`, entities]))
}

function leadsTo(fields: Fields | undefined, names: readonly string[], before: number): ReturnType<FlatRecords> {
  for (const length of [1, 2]) {
    const entities = fields?.get(names.slice(0, length).join('.'))
    if (entities) return { length: before + length, entities }
  }
  return undefined
}

export interface Records {
  /** In a list of steps: what a run holds there. */
  at(list: Pick<StepList, 'loops'>): FlatRecords
  /** In the filter of a trigger: what it tells of. */
  of(trigger: Said): FlatRecords
}

export function recordsOf(catalog: Catalog, body: Pick<WorkflowBody, 'entity' | 'steps' | 'triggers'>): Records {
  const own = entityOf(catalog, body.entity)
  const ofTriggers = recordsOfTriggers(catalog, own, body.triggers)
  const ofSteps = new Map([...allSteps(body)].map((step) => [String(step.said['internalName']), recordsOfStep(catalog, own, step)]))
  return {
    at({ loops }) {
      const over = loops.at(-1)?.['over']
      const item = entityOf(catalog, valueAt(over, valueAt(over, 'view') === undefined ? 'children' : 'entity'))
      return ([root, ...names]) => {
        const [step, ...rest] = names.map(({ name }) => name)
        if (root.name === '$item') return item && { length: 1, entities: [item] }
        if (root.name === '$trigger' && step !== undefined) return leadsTo(ofTriggers, [step, ...rest], 1)
        return root.name === '$steps' && step !== undefined ? leadsTo(ofSteps.get(step), rest, 2) : undefined
      }
    },
    of(trigger) {
      const fields = recordsOfTriggers(catalog, own, [trigger])
      return ([root, ...names]) =>
        root.name === '$trigger'
          ? leadsTo(
              fields,
              names.map(({ name }) => name),
              1,
            )
          : undefined
    },
  }
}
