/** Files that come into a record are noted with it, so that who reaches one can be asked of the file. */
import { assetKeysOf } from '#tools/properties/service.ts'
import { isFileProperty, noteHolders } from '#tools/query/service.ts'

import type { Listener } from './events.types.ts'

export const fileHolders: Listener = {
  // What a record held before is noted already; noting it again changes nothing.
  compares: () => false,
  async hear(context, { entity }, changes) {
    const properties = entity.properties.filter(isFileProperty)
    if (properties.length === 0) return undefined
    await noteHolders(
      context,
      changes.flatMap(({ id, before, after }) =>
        properties.flatMap(({ entityPropertyId }) => {
          const had = new Set(assetKeysOf(before?.get(entityPropertyId)))
          return [...new Set(assetKeysOf(after?.get(entityPropertyId)))]
            .filter((assetKey) => !had.has(assetKey))
            .map((assetKey) => ({ assetKey, entityId: entity.entityId, entityPropertyId, eiRecordId: id }))
        }),
      ),
    )
    return undefined
  },
}
