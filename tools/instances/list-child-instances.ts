import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { listing, rawJson } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { entity, listInput, narrowInput, record } from '#tools/query/query.schema.ts'
import { listInTurn, listRecords, liveRecordId, readFrame, type ReadFrame, readFrameOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'
import { listedInput, listedOf } from './listed.ts'

/** The entities whose records are asked for: the one that is named, else all that stand below. Throws 400. */
function childEntities({ catalog, entity: parent }: ReadFrame, wanted: string | number | undefined): CatalogEntity[] {
  const children = parent.children.flatMap((relation) => catalog.entities.find((one) => one.entityId === relation.entityId) ?? [])
  if (wanted === undefined) return children
  const named = catalog.byIdOrName.get(String(wanted).toLowerCase())
  // A client that repeats the path in its body names the parent, which is no wish unless it can stand below itself.
  if (named === parent && !children.includes(parent)) return children
  if (named && children.includes(named)) return [named]
  const names = children.map((one) => one.internalName)
  const issue = unknownName('$.childEntity', `child entity of ${parent.internalName}`, wanted, names, 'describe_entity', 'unknown_entity')
  throw new AppError('unknown_entity', issue.message, { issues: [issue] })
}

export const listChildInstances = defineOperation({
  ...reads(z.array(instance)),
  name: 'list_child_instances',
  title: 'List the records below a record',
  description:
    'The live records that stand directly below one record, filtered and sorted as in list_instances. Name childEntity where several entities stand below; without it they come one entity after the other, by cursor. To move one: set_instance_parent.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/children',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  bodyNames: { entity: 'childEntity' },
  input: z.object({
    entity,
    record,
    childEntity: entity.optional().describe('Over REST also named entity, in the body'),
    ...listInput,
    ...narrowInput,
    ...listedInput,
  }),
  examples: [
    {
      title: 'The log of a work order, the newest first',
      input: { entity: 'WorkOrder', record: 'WO-1001', childEntity: 'WorkLog', sort: [{ property: 'createdDate', direction: 'desc' }] },
      output: [{ ...exampleInstance, eiRecordId: 20502, entityId: 14, parentEIRecordId: 20481 }],
    },
  ],
  async handler(context, { entity: slot, record: name, childEntity, ...input }) {
    const listed = listedOf(input)
    const frame = await readFrame(context, slot)
    const children = childEntities(frame, childEntity)
    const below = { ...listed, parentId: await liveRecordId(context, frame, name) }
    const frames: ReadFrame[] = []
    for (const child of children) frames.push(await readFrameOf(context, frame.catalog, child))
    const [first] = frames
    if (!first) return listing<never>(rawJson('[]'), input.cursor === undefined && input.includeTotal !== false ? { totalCount: 0 } : {})
    return frames.length === 1 ? listRecords(context, first, input, below) : listInTurn(context, frames, input, below)
  },
})
