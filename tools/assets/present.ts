/** Assets that are there, for whoever names them: what is known of them, whether the caller reaches them, and their bytes. */
import type { Readable } from 'node:stream'

import type { Tx } from '#platform/db/pool.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { findWithheldFiles } from '#tools/query/service.ts'

import * as store from './assets.store.ts'

/** What others need to know of an asset that they name. */
export interface KnownAsset {
  readonly assetKey: string
  readonly originalFileName: string
  readonly mimeType: string
  readonly fileExtension: string
  readonly sizeBytes: number
  readonly isSensitive: boolean
  /** The tenant user who made it. */
  readonly createdBy: number | null
  /** Nobody else finds or reads it. */
  readonly isPrivate: boolean
}

/** Those of the keys that are assets of the tenant, by key; one query however many there are. Keys that are no UUIDs are simply not found. */
export async function findAssets(tx: Tx, tenantId: number, assetKeys: readonly string[]): Promise<ReadonlyMap<string, KnownAsset>> {
  const keys = [
    ...new Set(assetKeys.filter((key) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)).map((key) => key.toLowerCase())),
  ]
  if (keys.length === 0) return new Map()
  const rows = await store.findStored(tx, tenantId, keys)
  return new Map(rows.map((row) => [row.assetKey, row]))
}

/** Those of the keys that are assets which the caller reaches: one that records with access rules hold is reached by who sees it there, and by who made it. */
export async function findReachable(context: TxContext, assetKeys: readonly string[]): Promise<ReadonlyMap<string, KnownAsset>> {
  const found = await findAssets(context.tx, context.tenantId, assetKeys)
  const withheld = await findWithheldFiles(context, [...found.values()])
  return withheld.size === 0 ? found : new Map([...found].filter(([assetKey]) => !withheld.has(assetKey)))
}

/** Opens files that are the caller's alone to somebody to whom they are sent. */
export async function noteReceivers({ tx, tenantId }: TxContext, assetKeys: readonly string[], tenantUserId: number): Promise<void> {
  if (assetKeys.length > 0) await store.insertReceivers(tx, tenantId, assetKeys, tenantUserId)
}

export interface OpenAsset extends KnownAsset {
  readonly sha256: string
  readonly stream: Readable
}

/** Opens an asset for reading. Throws AppError `not_found`, and what `check` throws once it is known what would be opened. */
export async function openAsset(
  services: Services,
  tenantId: number,
  assetKey: string,
  check?: (asset: KnownAsset) => void,
): Promise<OpenAsset> {
  const found = mustExist(await findOne(services, tenantId, assetKey), 'asset')
  check?.(found)
  return { ...found, stream: await services.storage.get(found.storagePath) }
}

/** The bytes of a file that is listed already; undefined where they have gone meanwhile. */
export async function openStored({ storage }: Services, storagePath: string): Promise<Readable | undefined> {
  return storage.get(storagePath).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  })
}

export interface AssetForRecognition extends KnownAsset {
  /** A local file of the same bytes, until `release`. */
  readonly filePath: string
  release(): Promise<void>
}

/** An asset as a local file, for engines that read files. Throws AppError `not_found`. */
export async function assetForRecognition(services: Services, tenantId: number, assetKey: string): Promise<AssetForRecognition> {
  const found = mustExist(await findOne(services, tenantId, assetKey), 'asset')
  return { ...found, ...(await services.storage.materialise(found.storagePath)) }
}

async function findOne(services: Services, tenantId: number, assetKey: string): Promise<store.StoredAsset | undefined> {
  const [found] = await services.databases.transact({ tenantId, isReadOnly: true }, ({ tx }) => store.findStored(tx, tenantId, [assetKey]))
  return found
}
