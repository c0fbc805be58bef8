/** The entities at the other ends of an entity's relationships. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import type { TxContext } from '#platform/operation.ts'

import { listRelations } from './composition.store.ts'
import type { Relative } from './entities.schema.ts'
import { listEntities } from './shown.ts'

/** Parents and children in the order of the composition; peers from either side, once each. */
export async function relativesOf(
  context: TxContext,
  entityId: number,
  languages: DisplayLanguages,
): Promise<{ parents: Relative[]; children: Relative[]; peers: Relative[] }> {
  const { tx, tenantId } = context
  const relations = await listRelations(tx, tenantId, entityId)
  const others = [...new Set(relations.flatMap((relation) => [relation.entityId, relation.otherEntityId]))]
  const names = new Map((await listEntities(tx, tenantId, languages, others)).map((entity) => [entity.entityId, entity]))
  const ends = (
    kind: 'child' | 'peer',
    isMine: (relation: (typeof relations)[number]) => boolean,
    otherOf: (relation: (typeof relations)[number]) => number,
  ) =>
    relations
      .filter((relation) => relation.kind === kind && isMine(relation))
      .flatMap((relation): Relative[] => {
        const other = names.get(otherOf(relation))
        const { isRequired, isList } = relation
        return other ? [{ entityId: other.entityId, internalName: other.internalName, name: other.name, isRequired, isList }] : []
      })
  return {
    parents: ends(
      'child',
      (relation) => relation.otherEntityId === entityId,
      (relation) => relation.entityId,
    ),
    children: ends(
      'child',
      (relation) => relation.entityId === entityId,
      (relation) => relation.otherEntityId,
    ),
    peers: ends(
      'peer',
      () => true,
      (relation) => (relation.entityId === entityId ? relation.otherEntityId : relation.entityId),
    ),
  }
}
