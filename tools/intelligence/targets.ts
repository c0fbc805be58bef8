/** Targets of analyses for the domain that keeps records: what their values are to be, and whose the values are that they have. */
import type { TxContext } from '#platform/operation.ts'
import { inTurns } from '#platform/turns.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import { type Composed, composeTargets, type FilePart, listTextMax } from './composition.rules.ts'
import { type AnalysisSettings, analysisSettings } from './intelligence.schema.ts'
import type { TargetStates } from './targets.rules.ts'
import { isWrittenByOther, listParts, listTargetStates, type Place } from './targets.store.ts'

export type { Composed } from './composition.rules.ts'
export { isFromRun, isReplaceable, stateOnArrival, type TargetState, type TargetStates, valueHash, whyKept } from './targets.rules.ts'
export { noteTargetStates, type Place } from './targets.store.ts'

/** Whether files that are saved in the property are read. */
export function isAnalysed({ analysis }: CatalogProperty): boolean {
  return analysis !== null && analysis !== undefined
}

/** The targets of an attachment property, by kind; empty where nothing is analysed. */
export function targetsOf(property: CatalogProperty): AnalysisSettings['targets'] {
  if (!isAnalysed(property)) return {}
  const settings = analysisSettings.safeParse(property.analysis)
  return settings.success ? settings.data.targets : {}
}

/** The files that a record holds in a property, in their order. */
export interface HeldFiles extends Place {
  readonly property: CatalogProperty
  readonly assetKeys: readonly string[]
  readonly targets: AnalysisSettings['targets']
  /** The file whose run ends now. */
  readonly assetKey?: string
}

const nameOf = ({ eiRecordId, entityPropertyId }: Place) => `${eiRecordId} ${entityPropertyId}`

/** What these files put into the targets of each record, in the order of `held`. */
export async function composeHeld({ tx, tenantId }: TxContext, entity: CatalogEntity, held: readonly HeldFiles[]): Promise<Composed[]> {
  const rows = await listParts(
    tx,
    tenantId,
    // A file that stands in a list twice is one file.
    held.map(({ eiRecordId, entityPropertyId, assetKeys }) => ({ eiRecordId, entityPropertyId, assetKeys: [...new Set(assetKeys)] })),
    listTextMax,
  )
  const parts = Map.groupBy(rows, nameOf)
  const composed: Composed[] = []
  await inTurns(
    (function* () {
      for (const files of held) {
        const own: readonly FilePart[] = parts.get(nameOf(files)) ?? []
        composed.push(composeTargets(entity, files.targets, { isList: files.property.isList, parts: own, assetKey: files.assetKey }))
        yield
      }
    })(),
  )
  return composed
}

/** What is known of the targets of these places, by `<record> <property>`. */
export async function targetStates({ tx, tenantId }: TxContext, places: readonly Place[]): Promise<(place: Place) => TargetStates> {
  const rows = places.length === 0 ? [] : await listTargetStates(tx, tenantId, places)
  const known = new Map(rows.map((row) => [nameOf(row), row.targets]))
  return (place) => known.get(nameOf(place)) ?? {}
}

/** Whether the analysis of another property of the same record wrote the value. */
export function isOfOtherAnalysis({ tx, tenantId }: TxContext, place: Place, targetId: number, hash: string): Promise<boolean> {
  return isWrittenByOther(tx, tenantId, place, targetId, hash)
}
