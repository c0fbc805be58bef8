/** What a form asks of files beyond what their properties do: types and size. */
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { findReachable } from '#tools/assets/service.ts'
import { assetKeysOf } from '#tools/properties/service.ts'

import type { DecidedRow } from './deciding.ts'
import type { ReadyField, ReadyForm } from './ready.ts'
import type { ListPlan } from './sections.ts'

interface Captured {
  readonly field: ReadyField
  readonly assetKey: string
  readonly path: string
}

function capturesOf(fields: Iterable<ReadyField>, { understood, decision }: DecidedRow): Captured[] {
  return [...fields].flatMap((field) => {
    const { property, capture } = field
    if (!capture || !decision.kept.has(property)) return []
    const path = `${understood.path}.values.${understood.names.get(property) ?? property.internalName}`
    return assetKeysOf(understood.values.get(property.entityPropertyId)).map((assetKey) => ({ field, assetKey, path }))
  })
}

const inMegabytes = (bytes: number) => `${Number((bytes / 1_048_576).toPrecision(3))} MiB`

export async function checkCaptures(
  context: TxContext,
  ready: ReadyForm,
  {
    primary,
    lists,
  }: { readonly primary: DecidedRow; readonly lists: readonly { readonly plan: ListPlan; readonly rows: readonly DecidedRow[] }[] },
): Promise<Finding[]> {
  const captured = [
    ...capturesOf(ready.fieldOf.values(), primary),
    ...lists.flatMap(({ plan, rows }) => rows.flatMap((row) => capturesOf(plan.list.fields, row))),
  ]
  if (captured.length === 0) return []
  const assets = await findReachable(context, [...new Set(captured.map((one) => one.assetKey))])
  return captured.flatMap(({ field, assetKey, path }) => {
    const asset = assets.get(assetKey)
    // One that is not there is told by the save.
    if (!asset || !field.capture) return []
    const { accept, maxBytes } = field.capture
    const { internalName } = field.property
    if (accept.length > 0 && !accept.includes(asset.fileExtension.toLowerCase()))
      return [
        finding(
          path,
          `The form takes files of type ${accept.join(', ')} for ${internalName}, not ${asset.fileExtension || 'without an extension'}.`,
        ),
      ]
    if (asset.sizeBytes <= maxBytes) return []
    return [
      finding(
        path,
        `The form takes files of at most ${inMegabytes(maxBytes)} for ${internalName}, and this one has ${inMegabytes(asset.sizeBytes)}.`,
      ),
    ]
  })
}
