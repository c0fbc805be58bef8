/** Attachments of records: whether the named assets may stand there. */
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { findReachable, isAllowedType } from '#tools/assets/service.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { assetKeysOf, type Value } from '#tools/properties/service.ts'

export interface AssetProblem {
  /** A file that is not sensitive in a sensitive property: 422 rather than 400. */
  readonly isSensitivity: boolean
  readonly issues: readonly Finding[]
}

/** Whether the entity's records can hold files. */
export function holdsAssets(entity: CatalogEntity): boolean {
  return assetProperties(entity).length > 0
}

function assetProperties(entity: CatalogEntity): CatalogProperty[] {
  return entity.properties.filter((property) => ['Attachment', 'Signature', 'Binary'].includes(property.dataType))
}

/** What is wrong with the assets that these rows bring, by the row's index. Keys that the record held before are not asked again. */
export async function checkAssets(
  context: TxContext,
  entity: CatalogEntity,
  rows: readonly {
    readonly index: number
    readonly path: string
    readonly values: ReadonlyMap<number, Value>
    readonly before: ReadonlyMap<number, Value> | undefined
  }[],
): Promise<Map<number, AssetProblem>> {
  const problems = new Map<number, AssetProblem>()
  const properties = assetProperties(entity)
  const uses = rows.flatMap((row) =>
    properties.flatMap((property) => {
      const had = new Set(assetKeysOf(row.before?.get(property.entityPropertyId)))
      return [...new Set(assetKeysOf(row.values.get(property.entityPropertyId)))]
        .filter((assetKey) => !had.has(assetKey))
        .map((assetKey) => ({ row, property, assetKey }))
    }),
  )
  if (uses.length === 0) return problems
  const byKey = await findReachable(context, [...new Set(uses.map((use) => use.assetKey))])
  for (const { row, property, assetKey } of uses) {
    const asset = byKey.get(assetKey)
    const path = `${row.path}.data.${property.internalName}`
    const extension = asset?.fileExtension ?? ''
    let message: string | undefined
    let isSensitivity = false
    if (!asset) message = `There is no asset ${assetKey}. Upload it first with create_upload_url or upload_asset.`
    else if (!isAllowedType(extension, property.allowedFileTypes)) {
      message = `${property.internalName} takes files of type ${property.allowedFileTypes.join(', ')}, not ${extension || 'without an extension'}.`
    } else if (property.isSensitive && !asset.isSensitive) {
      message = `${property.internalName} is sensitive and takes sensitive files only. Upload the file with isSensitive true.`
      isSensitivity = true
    }
    if (message === undefined) continue
    const earlier = problems.get(row.index)
    problems.set(row.index, {
      isSensitivity: isSensitivity || earlier?.isSensitivity === true,
      issues: [...(earlier?.issues ?? []), finding(path, message)],
    })
  }
  return problems
}
