/** The SQL of assets. A row whose bytes are awaited, or that was deleted, is shown by nothing but the functions that say so. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { Asset } from './assets.schema.ts'

/** What opening the bytes of an asset takes. */
export interface StoredAsset {
  readonly assetKey: string
  readonly storagePath: string
  readonly originalFileName: string
  readonly mimeType: string
  readonly fileExtension: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly isSensitive: boolean
  /** The tenant user who made it. */
  readonly createdBy: number | null
  readonly isPrivate: boolean
}

export interface PendingAsset {
  readonly assetKey: string
  readonly storagePath: string
  readonly originalFileName: string
  readonly title: string
  readonly mimeType: string
  readonly subPath: string
  readonly isSensitive: boolean
  readonly propertyId: number | null
  readonly createdBy: number | null
  /** Nobody else finds or reads it. */
  readonly isPrivate: boolean
  /** Of an upload URL alone. */
  readonly uploadUntil?: string
  readonly announcedBytes?: number | undefined
}

const columns = (tx: Tx) => tx`
  a.asset_key, a.original_file_name, a.title, a.mime_type, a.file_extension, a.size_bytes as file_size, a.sub_path, a.is_sensitive, a.asset_folder_id,
  '' as folder_path, a.workflow_id, a.step_id, a.property_id, a.created_date, a.modified_date`

/** Makes the row that the bytes are stored under; it is not shown before `completeAsset`. */
export async function insertPending(tx: Tx, tenantId: number, stamp: string, pending: PendingAsset): Promise<void> {
  await tx`
    insert into platform.asset (tenant_id, asset_key, storage_path, original_file_name, title, mime_type, sub_path, is_sensitive, property_id, created_by, is_private,
      upload_until, announced_bytes, created_date, modified_date)
    values (${tenantId}, ${pending.assetKey}, ${pending.storagePath}, ${pending.originalFileName}, ${pending.title}, ${pending.mimeType}, ${pending.subPath},
      ${pending.isSensitive}, ${pending.propertyId}, ${pending.createdBy}, ${pending.isPrivate}, ${pending.uploadUntil ?? null}, ${pending.announcedBytes ?? null}, ${stamp}, ${stamp})`
}

/** Shows the asset from now on. Undefined where another upload has completed it, or it is gone. */
export async function completeAsset(
  tx: Tx,
  tenantId: number,
  stamp: string,
  stored: { assetKey: string; storagePath: string; mimeType: string; fileExtension: string; sizeBytes: number; sha256: string },
): Promise<Asset | undefined> {
  const [row] = await tx<Asset[]>`
    update platform.asset a
    set storage_path = ${stored.storagePath}, mime_type = ${stored.mimeType}, file_extension = ${stored.fileExtension}, size_bytes = ${stored.sizeBytes},
      sha256 = ${stored.sha256}, stored_at = ${stamp}, created_date = ${stamp}, modified_date = ${stamp}
    where a.tenant_id = ${tenantId} and a.asset_key = ${stored.assetKey} and a.stored_at is null and a.deleted_at is null
    returning ${columns(tx)}`
  return row
}

export async function sumBytes(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<[{ bytes: number }]>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes from platform.asset where tenant_id = ${tenantId} and stored_at is not null and deleted_at is null`
  return row.bytes
}

/** Removes a row whose bytes never came. False where it is no longer one: then its bytes are somebody's. */
export async function deletePending(tx: Tx, tenantId: number, assetKey: string): Promise<boolean> {
  const { count } = await tx`delete from platform.asset where tenant_id = ${tenantId} and asset_key = ${assetKey} and stored_at is null`
  return count > 0
}

export interface UploadTicket {
  readonly assetKey: string
  /** Where the try before this one wrote. */
  readonly storagePath: string
  readonly originalFileName: string
  readonly mimeType: string
  readonly propertyId: number | null
  readonly announcedBytes: number | null
  readonly createdBy: number | null
  readonly isUsed: boolean
}

/** The row behind an upload URL. */
export async function findTicket(tx: Tx, tenantId: number, assetKey: string): Promise<UploadTicket | undefined> {
  const [row] = await tx<UploadTicket[]>`
    select a.asset_key, a.storage_path, a.original_file_name, a.mime_type, a.property_id, a.announced_bytes, a.created_by, a.stored_at is not null as is_used
    from platform.asset a
    where a.tenant_id = ${tenantId} and a.asset_key = ${assetKey} and a.upload_until is not null and a.deleted_at is null`
  return row
}

/** Notes where an upload writes before it does, so that what it leaves behind when its process dies can be found. */
export async function notePath(tx: Tx, tenantId: number, assetKey: string, storagePath: string): Promise<void> {
  await tx`
    update platform.asset set storage_path = ${storagePath}
    where tenant_id = ${tenantId} and asset_key = ${assetKey} and stored_at is null`
}

export async function findAsset(tx: Tx, tenantId: number, assetKey: string): Promise<Asset | undefined> {
  const [row] = await tx<Asset[]>`
    select ${columns(tx)} from platform.asset a
    where a.tenant_id = ${tenantId} and a.asset_key = ${assetKey} and a.stored_at is not null and a.deleted_at is null`
  return row
}

/** Those of the keys that are assets of the tenant. */
export async function findStored(tx: Tx, tenantId: number, assetKeys: readonly string[]): Promise<StoredAsset[]> {
  return tx<StoredAsset[]>`
    select a.asset_key, a.storage_path, a.original_file_name, a.mime_type, a.file_extension, a.size_bytes, a.sha256, a.is_sensitive, a.created_by, a.is_private
    from platform.asset a
    where a.tenant_id = ${tenantId} and a.asset_key = any(${[...assetKeys]}::uuid[]) and a.stored_at is not null and a.deleted_at is null`
}

export interface AssetQuery {
  /** Private files of others are not listed, nor counted. */
  readonly viewerId: number
  /** What records hold, or held, in these properties is listed for its maker alone. */
  readonly boundProperties: readonly number[]
  readonly sourceId?: number | undefined
  readonly folderId?: number | undefined
  readonly search?: string | undefined
}

const matching = (tx: Tx, tenantId: number, query: AssetQuery) => tx`
  a.tenant_id = ${tenantId} and a.stored_at is not null and a.deleted_at is null and (not a.is_private or a.created_by = ${query.viewerId}
    or exists (select from platform.asset_receiver r where r.tenant_id = a.tenant_id and r.asset_key = a.asset_key and r.tenant_user_id = ${query.viewerId}))
  ${
    query.boundProperties.length === 0
      ? tx``
      : tx`and (a.created_by = ${query.viewerId} or not exists (select from platform.file_holder h
          where h.tenant_id = a.tenant_id and h.asset_key = a.asset_key and h.entity_property_id = any(${[...query.boundProperties]}::int[])))`
  }
  ${query.sourceId === undefined ? tx`` : tx`and a.source_id = ${query.sourceId}`}
  ${query.folderId === undefined ? tx`` : tx`and a.asset_folder_id = ${query.folderId}`}
  ${query.search === undefined ? tx`` : tx`and (strpos(lower(a.title), lower(${query.search})) > 0 or strpos(lower(a.original_file_name), lower(${query.search})) > 0)`}`

/** Keeps to whom these were sent, of those that are their makers' alone. */
export async function insertReceivers(tx: Tx, tenantId: number, assetKeys: readonly string[], tenantUserId: number): Promise<void> {
  await tx`
    insert into platform.asset_receiver (tenant_id, asset_key, tenant_user_id)
    select tenant_id, asset_key, ${tenantUserId}::int from platform.asset
    where tenant_id = ${tenantId} and asset_key = any(${[...assetKeys]}::uuid[]) and is_private
    on conflict do nothing`
}

/** Who made each of these. */
export async function listMakers(
  tx: Tx,
  tenantId: number,
  assetKeys: readonly string[],
): Promise<{ assetKey: string; createdBy: number | null; isPrivate: boolean }[]> {
  if (assetKeys.length === 0) return []
  return tx`select asset_key, created_by, is_private from platform.asset where tenant_id = ${tenantId} and asset_key = any(${[...assetKeys]}::uuid[])`
}

/** The newest first. */
export async function listNewest(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  query: AssetQuery & { readonly after: readonly [createdDate: string, assetKey: string] | undefined },
): Promise<Found<Asset>> {
  const { after } = query
  return fetchPage<Asset>(
    tx,
    page,
    tx`
      select ${columns(tx)} from platform.asset a
      where ${matching(tx, tenantId, query)}
        ${after === undefined ? tx`` : tx`and (a.created_date, a.asset_key) < (${after[0]}::text::timestamptz, ${after[1]}::text::uuid)`}
      order by a.created_date desc, a.asset_key desc`,
  )
}

export async function countAssets(tx: Tx, tenantId: number, page: PageRequest, query: AssetQuery): Promise<Total> {
  return countPage(tx, page, tx`from platform.asset a where ${matching(tx, tenantId, query)}`)
}

/** Answers how many of them there were. */
export async function markDeleted(tx: Tx, tenantId: number, assetKeys: readonly string[], stamp: string): Promise<number> {
  const { count } = await tx`
    update platform.asset set deleted_at = ${stamp}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and asset_key = any(${tx.array([...assetKeys])}::uuid[]) and stored_at is not null and deleted_at is null`
  return count
}

export interface Unswept {
  readonly assetKey: string
  readonly storagePath: string
  readonly isDeleted: boolean
}

/** Leaves uploads that wait for bytes to the next sweep. */
export async function giveUpPending(tx: Tx, tenantId: number, assetKeys: readonly string[]): Promise<void> {
  await tx`
    update platform.asset set upload_until = now() - interval '2 days'
    where tenant_id = ${tenantId} and asset_key = any(${tx.array([...assetKeys])}::uuid[]) and stored_at is null and upload_until is not null`
}

/** Rows whose bytes nobody can ask for any more: deleted ones, and uploads that were given up a day ago. */
export async function listUnswept(tx: Tx, tenantId: number, limit: number): Promise<Unswept[]> {
  return tx<Unswept[]>`
    select asset_key, storage_path, deleted_at is not null as is_deleted
    from platform.asset
    where tenant_id = ${tenantId} and (
      (deleted_at is not null and purged_at is null) or
      (stored_at is null and deleted_at is null and coalesce(upload_until, created_date) < now() - interval '1 day'))
    limit ${limit}`
}

export async function markPurged(tx: Tx, tenantId: number, assetKey: string): Promise<void> {
  await tx`
    update platform.asset set purged_at = now()
    where tenant_id = ${tenantId} and asset_key = ${assetKey} and deleted_at is not null`
}

/** Files that are there, in the order of their keys, from behind one of them on. Those that lie in the folder `except` and are their maker's alone are left out. */
export async function listFilesAfter(
  tx: Tx,
  tenantId: number,
  by: { readonly after: string | undefined; readonly except: string; readonly limit: number },
): Promise<Pick<StoredAsset, 'assetKey' | 'storagePath' | 'originalFileName' | 'sizeBytes'>[]> {
  return tx<Pick<StoredAsset, 'assetKey' | 'storagePath' | 'originalFileName' | 'sizeBytes'>[]>`
    select a.asset_key, a.storage_path, a.original_file_name, a.size_bytes
    from platform.asset a
    where a.tenant_id = ${tenantId} and a.stored_at is not null and a.deleted_at is null and not (a.is_private and a.sub_path = ${by.except})
      and ${by.after === undefined ? tx`true` : tx`a.asset_key > ${by.after}::uuid`}
    order by a.asset_key
    limit ${by.limit}`
}
