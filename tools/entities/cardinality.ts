/** Changes of required, one or many, and key part: what the records that exist allow, and what has to move for them. */
import { takeCatalogIds } from '#platform/db/definitions.ts'
import { type ChildUse, convertColumn, convertibleRows, findChildUse, hasRecords, lacksValue } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { finding, type Finding, refuseErrors } from '#platform/validation.ts'
import { afterChange, listAllOptionFilters } from '#tools/properties/service.ts'

import { findAnalysisInto, listRelations, type RelationRow, updateEntityPropertyRow, updateRelationRow } from './composition.store.ts'
import { findKeyPartProblems, findNumberingProblems, readNumbering } from './entities.rules.ts'
import type { EntityRow } from './entities.store.ts'
import { type AttachedProperty } from './attached.ts'
import { findEndless, findRelationProblems } from './relations.rules.ts'

export interface CompositionChange {
  readonly isRequired?: boolean | undefined
  readonly isList?: boolean | undefined
  readonly keyPart?: 1 | 2 | 3 | null | undefined
  readonly propertyOptionFilterId?: number | null | undefined
  readonly numbering?: { readonly prefix?: string | undefined; readonly digits?: number | undefined } | null | undefined
}

/** Changes an attached property. To be called inside changeDefinitions, before anything touches the entity's records. Throws AppError. */
export async function changeAttached(
  context: TxContext,
  entity: EntityRow,
  before: AttachedProperty,
  attached: readonly AttachedProperty[],
  changes: CompositionChange,
): Promise<void> {
  const { tx, tenantId } = context
  const { entityId } = entity
  const { numbering, ...others } = changes
  const after = {
    ...afterChange<AttachedProperty>(before, others),
    numbering: numbering === undefined ? before.numbering : readNumbering(numbering),
  }
  refuseErrors(await findProblems(context, entity, after, attached), 'The change')
  const analysed = after.isList === before.isList ? undefined : await findAnalysisInto(tx, tenantId, entityId, before.entityPropertyId)
  if (analysed !== undefined) {
    throw new AppError(
      'conflict',
      `The analysis of ${analysed} writes its results to ${before.internalName} as it is. Change that with set_attachment_analysis first.`,
    )
  }
  const columnId = after.isList === before.isList ? before.columnId : await convert(context, entity, before, after.isList)
  if (after.numbering !== null && before.numbering === null && (await hasRecords(tx, tenantId, entityId))) {
    throw new AppError(
      'conflict',
      `Records of ${entity.internalName} exist, whose values of ${before.internalName} need not be unique. Attach another property with numbering.`,
    )
  }
  if (after.keyPart !== before.keyPart && (await hasRecords(tx, tenantId, entityId))) {
    throw new AppError(
      'conflict',
      `Records of ${entity.internalName} exist, and their keys must not change with the definition. A key part is set before the first record.`,
    )
  }
  if (after.isRequired && !before.isRequired && (await lacksValue(tx, tenantId, entityId, columnId))) {
    throw new AppError(
      'conflict',
      `Some records of ${entity.internalName} have no ${before.internalName}. Find them with the filter isEmpty, fill them, then require it.`,
    )
  }
  await updateEntityPropertyRow(tx, tenantId, { ...after, columnId })
}

async function findProblems(
  context: TxContext,
  entity: EntityRow,
  after: AttachedProperty,
  attached: readonly AttachedProperty[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  if (after.keyPart !== null) {
    findings.push(...findKeyPartProblems(after, after.isList, after.isList ? '$.isList' : '$.keyPart'))
    const other = attached.find((one) => one.keyPart === after.keyPart && one.entityPropertyId !== after.entityPropertyId)
    if (other) findings.push(finding('$.keyPart', `${other.internalName} is key part ${after.keyPart} already.`, { code: 'conflict' }))
  }
  if (after.numbering !== null)
    findings.push(...findNumberingProblems(after, after.isList, after.numbering, after.isList ? '$.isList' : '$.numbering'))
  if (after.isList && [entity.identityEmailPropertyId, entity.identityPhonePropertyId].includes(after.propertyId)) {
    findings.push(
      finding(
        '$.isList',
        `${after.internalName} links records to users, so it has one value. Change that with set_entity_identity_bridge first.`,
        { code: 'conflict' },
      ),
    )
  }
  if (after.propertyOptionFilterId !== null) {
    const filters = await listAllOptionFilters(context.tx, context.tenantId)
    const isOwn = filters.some(
      (filter) => filter.propertyOptionFilterId === after.propertyOptionFilterId && filter.propertyId === after.propertyId,
    )
    if (!isOwn)
      findings.push(
        finding(
          '$.propertyOptionFilterId',
          `${after.internalName} has no option filter ${after.propertyOptionFilterId}. list_property_option_filters shows them.`,
        ),
      )
  }
  return findings
}

/** A change between one and many is a new column, filled from the old one; the column that it was keeps its values and is never read again. */
async function convert(context: TxContext, entity: EntityRow, before: AttachedProperty, toList: boolean): Promise<number> {
  const { tx, tenantId, services } = context
  const [fresh] = await takeCatalogIds(tx, 1)
  const toColumnId = mustExist(fresh, 'id')
  const outcome = await convertColumn(services.databases, {
    tenantId,
    entityId: entity.entityId,
    fromColumnId: before.columnId,
    toColumnId,
    toList,
  })
  switch (outcome) {
    case 'done':
    case 'nothingToDo':
      return toColumnId
    case 'heldByTwo':
      throw new AppError(
        'conflict',
        `Some records of ${entity.internalName} hold several values of ${before.internalName}. Leave them one each, then repeat.`,
      )
    case 'tooMany':
      throw new AppError(
        'conflict',
        `${entity.internalName} has more than ${convertibleRows.toLocaleString('en-US')} record versions, too many to rewrite in one call. Attach another property and fill it by an import instead.`,
      )
  }
}

/** Changes how a child entity stands under its parent. To be called inside changeDefinitions. Throws AppError. */
export async function changeChild(context: TxContext, entity: EntityRow, before: RelationRow, changes: CompositionChange): Promise<void> {
  const { tx, tenantId } = context
  const { keyPart, propertyOptionFilterId, numbering, ...cardinality } = changes
  const after = afterChange<RelationRow>(before, cardinality)
  const own = { entityId: before.entityId, internalName: entity.internalName }
  const other = before.otherEntityId === before.entityId ? own : { entityId: before.otherEntityId, internalName: '' }
  refuseErrors(
    [
      ...((keyPart ?? null) === null ? [] : [finding('$.keyPart', 'A child entity is no part of the key.')]),
      ...((numbering ?? null) === null ? [] : [finding('$.numbering', 'A child entity has no numbers.')]),
      ...((propertyOptionFilterId ?? null) === null ? [] : [finding('$.propertyOptionFilterId', 'A child entity has no options.')]),
      ...findRelationProblems({ ...after, entity: own, other }, '$.isRequired'),
      ...(after.isRequired && !before.isRequired
        ? findEndless(await relationsWith(context, after), before.otherEntityId, '$.isRequired')
        : []),
    ],
    'The change',
  )
  const use = await findChildUse(tx, tenantId, before.entityId, before.otherEntityId)
  if (after.isRequired && !before.isRequired) await refuseOrphans(context, before, use)
  if (!after.isList && before.isList && use.hasSiblings) {
    throw new AppError(
      'conflict',
      `Some records of ${entity.internalName} have several of these children. Leave them one each, then repeat.`,
    )
  }
  await updateRelationRow(tx, tenantId, after)
}

type Relation = Pick<RelationRow, 'kind' | 'entityId' | 'otherEntityId' | 'isRequired'>

/** The tenant's relationships with this one as it would be. */
export async function relationsWith(context: TxContext, changed: Relation): Promise<Relation[]> {
  const all = await listRelations(context.tx, context.tenantId)
  const isSame = (one: Relation) =>
    one.kind === changed.kind && one.entityId === changed.entityId && one.otherEntityId === changed.otherEntityId
  return [...all.filter((one) => !isSame(one)), changed]
}

/** A record needs a parent when every parent entity that it may stand under requires one. */
export async function refuseOrphans(
  context: TxContext,
  required: Pick<RelationRow, 'entityId' | 'otherEntityId'>,
  use: ChildUse,
): Promise<void> {
  if (!use.hasOrphans) return
  const relations = await listRelations(context.tx, context.tenantId, required.otherEntityId)
  const isElsewhere = relations.some(
    (relation) =>
      relation.kind === 'child' &&
      relation.otherEntityId === required.otherEntityId &&
      relation.entityId !== required.entityId &&
      !relation.isRequired,
  )
  if (isElsewhere) return
  throw new AppError('conflict', 'Some records of the child entity have no parent. Save them with one, then require it.')
}
