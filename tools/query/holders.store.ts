/** The SQL of which records hold files. */
import type { Tx } from '#platform/db/pool.ts'

/** A record, deleted perhaps, that holds a file in a property or held it in an earlier version. */
export interface Holder {
  readonly assetKey: string
  readonly entityId: number
  readonly entityPropertyId: number
  readonly eiRecordId: number
}

export async function insertHolders(tx: Tx, tenantId: number, holders: readonly Holder[]): Promise<void> {
  const column = <K extends keyof Holder>(name: K) => holders.map((one) => one[name])
  await tx`
    insert into platform.file_holder (tenant_id, asset_key, entity_id, entity_property_id, ei_record_id)
    select ${tenantId}, asset_key, entity_id, entity_property_id, ei_record_id
    from unnest(${column('assetKey')}::uuid[], ${column('entityId')}::int[], ${column('entityPropertyId')}::int[], ${column('eiRecordId')}::bigint[])
      as given (asset_key, entity_id, entity_property_id, ei_record_id)
    on conflict do nothing`
}

/** Of these files in these properties, in an order of its own; `after` is the last one of the portion before. */
export async function listHolders(
  tx: Tx,
  tenantId: number,
  of: { readonly assetKeys: readonly string[]; readonly entityPropertyIds: readonly number[] },
  portion: { readonly after: Holder | undefined; readonly limit: number },
): Promise<Holder[]> {
  const { after, limit } = portion
  return tx<Holder[]>`
    select asset_key, entity_id, entity_property_id, ei_record_id from platform.file_holder
    where tenant_id = ${tenantId} and asset_key = any(${[...of.assetKeys]}::uuid[]) and entity_property_id = any(${[...of.entityPropertyIds]}::int[])
      ${after === undefined ? tx`` : tx`and (asset_key, ei_record_id, entity_property_id) > (${after.assetKey}::uuid, ${after.eiRecordId}, ${after.entityPropertyId})`}
    order by asset_key, ei_record_id, entity_property_id
    limit ${limit}`
}

/** Those of these files that were sent to the user. */
export async function listReceived(tx: Tx, tenantId: number, assetKeys: readonly string[], tenantUserId: number): Promise<string[]> {
  const rows = await tx<{ assetKey: string }[]>`
    select asset_key from platform.asset_receiver
    where tenant_id = ${tenantId} and asset_key = any(${[...assetKeys]}::uuid[]) and tenant_user_id = ${tenantUserId}`
  return rows.map((row) => row.assetKey)
}
