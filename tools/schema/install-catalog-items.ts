import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { definitionId } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { type Finding, finding, refuseErrors } from '#platform/validation.ts'
import { inTurns } from '#platform/turns.ts'

import { entitiesToLock, findOrphanProblems, loadPresent, writePlan } from './catalog-document.ts'
import { planImport, sourceName } from './catalog.rules.ts'
import { type CatalogDocument, importResult } from './catalog.schema.ts'
import { loadOffers, type Offer } from './offers.ts'
import { select } from './portable.rules.ts'

interface Wanted {
  readonly document: CatalogDocument
  readonly sources: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

/** The chosen items as one document, with what they need and where each comes from. */
function gather(ids: readonly number[], offers: readonly Offer[], hasEntity: (name: string) => boolean): Wanted {
  const wanted = new Set(ids)
  const findings: Finding[] = []
  const sources = new Map<string, number>()
  const properties: NonNullable<CatalogDocument['properties']> = []
  const entities: NonNullable<CatalogDocument['entities']> = []
  const found = new Set<number>()
  for (const offer of offers) {
    const part = select(
      offer,
      (id) => wanted.has(id),
      (id) => wanted.has(id),
      hasEntity,
    )
    for (const { id, definition } of part.properties) {
      found.add(id)
      const name = sourceName('property', definition.internalName)
      const earlier = properties.find((one) => one.internalName.toLowerCase() === definition.internalName.toLowerCase())
      if (earlier) {
        // Two sources may both need a property of one name; one definition can only serve both when the types agree.
        if (earlier.dataType !== definition.dataType)
          findings.push(
            finding(
              '$.globalSourceIds',
              `Two of these need a property ${definition.internalName}, of different types. Install them apart.`,
            ),
          )
        continue
      }
      sources.set(name, id)
      properties.push(definition)
    }
    for (const { id, definition } of part.entities) {
      found.add(id)
      sources.set(sourceName('entity', definition.internalName), id)
      entities.push(definition)
    }
    for (const { entity, other } of part.leftOut) {
      findings.push(
        finding(
          '$.globalSourceIds',
          `${entity} is installed without its relationship to ${other}, which is not among these. Relate them later with attach_child_entity or attach_peer_entity.`,
          { severity: 'warning' },
        ),
      )
    }
  }
  ids.forEach((id, index) => {
    if (!found.has(id))
      findings.push(
        finding(`$.globalSourceIds[${index}]`, `Nothing with the globalSourceId ${id} can be installed. browse_catalog shows what can.`),
      )
  })
  return { document: { properties, entities }, sources, findings }
}

export const installCatalogItems = defineOperation({
  ...writes(importResult),
  errors: ['already_exists', 'unprocessable'],
  isIdempotent: true,
  name: 'install_catalog_items',
  title: 'Install from the shared catalog',
  description:
    'Copies properties and entities that browse_catalog shows into the tenant, by globalSourceId, which each copy keeps. An entity brings the properties that it needs. What the tenant has under the same name is used as it is (skipped); a property of that name and another type refuses all of it (409). Relationships come with the entity that has them, where both ends are there; what is skipped gets none, and issues[] says so.',
  method: 'POST',
  path: '/api/v1/catalog/install',
  roles: 'BuilderAdmin',
  input: z.object({ globalSourceIds: z.array(definitionId).min(1).max(500).describe('As browse_catalog shows them') }),
  examples: [
    {
      title: 'Airports',
      input: { globalSourceIds: [160] },
      output: {
        created: 1,
        skipped: 0,
        properties: [{ propertyId: 10_120, internalName: 'IataCode', outcome: 'created' }],
        entities: [],
        issues: [],
      },
    },
  ],
  async handler(context, input) {
    const offers = await loadOffers(context)
    const gatherFor = async () => {
      const present = await loadPresent(context)
      const names = new Set(present.entities.map((entity) => entity.internalName.toLowerCase()))
      return { present, ...gather(input.globalSourceIds, offers, (name) => names.has(name.toLowerCase())) }
    }
    return changeDefinitions(
      context,
      async () => {
        const { document, present } = await gatherFor()
        return entitiesToLock(document, present)
      },
      async () => {
        const { document, present, sources, findings } = await gatherFor()
        const plan = await inTurns(planImport(document, present, { whenExists: 'skip', scope: 'tenant', sources }))
        const all = [...findings, ...plan.findings, ...(await findOrphanProblems(context, plan.relations))]
        refuseErrors(all, 'The selection', 'installed')
        const result = await writePlan(context, { ...plan, findings: all }, 'tenant')
        context.audit({ globalSourceIds: input.globalSourceIds, created: result.created })
        return result
      },
    )
  },
})
