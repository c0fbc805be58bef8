import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, type TxContext, reads } from '#platform/operation.ts'
import { isNameTaken } from '#tools/definitions/service.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, listEntityDisplays } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { draftLayout, draftName } from './drafting.rules.ts'
import { entity, exampleLayout } from './forms.schema.ts'

const namesTried = 20

async function freeName(context: TxContext, of: CatalogEntity): Promise<string> {
  for (let n = 1; n < namesTried; n++) if (!(await isNameTaken(context, 'form', draftName(of, n)))) return draftName(of, n)
  return draftName(of, namesTried)
}

export const generateForm = defineOperation({
  ...reads(z.object({ layout: z.looseObject({}).describe('A layoutJson for create_form, to be kept as it is or changed first') })),
  name: 'generate_form',
  title: 'Draft a form',
  description:
    'Draws a layout from the properties and children of an entity, and keeps nothing: key parts and required values first, long texts wide, files last, a list for each child. Then create_form.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/forms/generate',
  roles: 'BuilderAdmin',
  input: z.object({ entity }),
  examples: [
    {
      title: 'Of work orders',
      input: { entity: 'WorkOrder' },
      output: { layout: { internalName: 'WorkOrderForm', entity: 'WorkOrder', ...exampleLayout } },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const catalog = await cachedCatalog(context)
    const of = entityInPath(catalog, input.entity)
    const children = of.children.map((one) => one.entityId)
    const displays = Map.groupBy(children.length === 0 ? [] : await listEntityDisplays(tx, tenantId, children), (one) => one.entityId)
    const titleOf = (entityId: number) => {
      const texts = displays.get(entityId) ?? []
      return texts.length === 0 ? undefined : Object.fromEntries(texts.map(({ languageCode, name }) => [languageCode, name]))
    }
    const layout = draftLayout(catalog, of, await freeName(context, of), titleOf)
    if (layout) return { layout }
    throw new AppError('conflict', `${of.internalName} has nothing to fill in yet. attach_property gives it properties.`)
  },
})
