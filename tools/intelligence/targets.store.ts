/** The SQL of targets: what each file of a record brings to them, and what recognition wrote there last. */
import type { Tx } from '#platform/db/pool.ts'
import type { FoundLabel } from '#platform/shapes/recognition.ts'

import type { TargetStates } from './targets.rules.ts'

/** An attachment property of a record. */
export interface Place {
  readonly eiRecordId: number
  readonly entityPropertyId: number
}

export interface PartRow extends Place {
  readonly assetKey: string
  readonly text: string | null
  readonly labels: readonly FoundLabel[] | null
}

/**
 * What the files of each place bring, in the order that they are given in. Of each place only the texts that begin within the first `characters` are
 * read: no target holds more.
 */
export async function listParts(
  tx: Tx,
  tenantId: number,
  places: readonly (Place & { readonly assetKeys: readonly string[] })[],
  characters: number,
): Promise<PartRow[]> {
  return tx<PartRow[]>`
    select p.ei_record_id, p.entity_property_id, p.asset_key, case when p.before < ${characters} then p.text_part end as text, p.labels_part as labels
    from (
      select given.n, k.ordinality, a.ei_record_id, a.entity_property_id, a.asset_key, a.text_part, a.labels_part,
        sum(length(coalesce(a.text_part, ''))) over (partition by given.n order by k.ordinality) - length(coalesce(a.text_part, '')) as before
      from json_to_recordset(${JSON.stringify(places.map((place, n) => ({ n, ...place })))}::text::json)
          as given (n int, "eiRecordId" bigint, "entityPropertyId" int, "assetKeys" json)
        cross join lateral json_array_elements_text(given."assetKeys") with ordinality k (asset_key, ordinality)
        join platform.attachment_analysis a on a.tenant_id = ${tenantId} and a.asset_key = k.asset_key::uuid
          and a.ei_record_id = given."eiRecordId" and a.entity_property_id = given."entityPropertyId"
    ) p
    order by p.n, p.ordinality`
}

/** What is known of the targets of these places; of most there is nothing. */
export async function listTargetStates(
  tx: Tx,
  tenantId: number,
  places: readonly Place[],
): Promise<(Place & { readonly targets: TargetStates })[]> {
  return tx<(Place & { targets: TargetStates })[]>`
    select t.ei_record_id, t.entity_property_id, t.targets
    from platform.analysis_target t
      join json_to_recordset(${JSON.stringify(places)}::text::json) as given ("eiRecordId" bigint, "entityPropertyId" int)
        on t.ei_record_id = given."eiRecordId" and t.entity_property_id = given."entityPropertyId"
    where t.tenant_id = ${tenantId}`
}

/** Adds to what is known of the targets of each place, which stands in the list once. */
export async function noteTargetStates(
  tx: Tx,
  tenantId: number,
  notes: readonly (Place & { readonly targets: TargetStates })[],
): Promise<void> {
  await tx`
    insert into platform.analysis_target as t (tenant_id, ei_record_id, entity_property_id, targets)
    select ${tenantId}::int, "eiRecordId", "entityPropertyId", targets
    from json_to_recordset(${JSON.stringify(notes)}::text::json) as given ("eiRecordId" bigint, "entityPropertyId" int, targets jsonb)
    on conflict (tenant_id, ei_record_id, entity_property_id) do update set targets = t.targets || excluded.targets`
}

/** Whether the analysis of another property of the record wrote a value of this hash into the target. */
export async function isWrittenByOther(tx: Tx, tenantId: number, place: Place, targetId: number, hash: string): Promise<boolean> {
  const rows = await tx`
    select 1 from platform.analysis_target t
    where t.tenant_id = ${tenantId} and t.ei_record_id = ${place.eiRecordId} and t.entity_property_id <> ${place.entityPropertyId}
      and t.targets->${String(targetId)}->>'hash' = ${hash} and t.targets->${String(targetId)}->>'by' = 'run'
    limit 1`
  return rows.length > 0
}
