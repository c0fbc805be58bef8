/** Assets for other domains and for activities: whether they exist, their bytes, and new ones out of a stream. */
import { randomUUID } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { tell } from '#platform/event-log.ts'
import { finding } from '#platform/findings.ts'
import type { StagedContext, TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { takeWithin } from '#platform/tenant-state.ts'
import { findFileRules } from '#tools/properties/service.ts'

import { extensionOfName, findDisguise, findSubFolderIssues, isAllowedType, shownFileName } from './assets.rules.ts'
import type { Asset } from './assets.schema.ts'
import * as store from './assets.store.ts'
import { type ContentType, detectContentType } from './content-type.ts'
import { type ContentSource, type StoredContent, storeContent } from './content.ts'
import { sweepSoon } from './sweeping.ts'

export { isAllowedType } from './assets.rules.ts'
export { assetForRecognition, findAssets, findReachable, noteReceivers, openAsset, openStored } from './present.ts'
export { listFilesAfter } from './assets.store.ts'
export { downloadPath, signedUrl } from './signed-url.ts'
export { takeUpload } from './take-upload.ts'

/** On whose behalf a file is kept: a call's (`ownerOf`), or the system's (`systemOwner`). */
export interface AssetOwner {
  readonly services: Services
  readonly tenantId: number
  readonly tenantUserId: number | null
  readonly signal?: AbortSignal | undefined
  transact<T>(work: (context: TxContext) => Promise<T>): Promise<T>
}

export function ownerOf(context: StagedContext): AssetOwner {
  const { services, tenantId, actor, signal } = context
  return { services, tenantId, tenantUserId: actor.tenantUserId || null, signal, transact: (work) => context.inTransaction(work) }
}

export function systemOwner(services: Services, tenantId: number, signal?: AbortSignal): AssetOwner {
  return { services, tenantId, tenantUserId: null, signal, transact: (work) => inSystemTransaction(services, tenantId, work) }
}

/** What is said of a file before its bytes are there. */
export interface FileDescription {
  readonly fileName: string
  readonly mimeType?: string | undefined
  readonly title?: string | undefined
  readonly isSensitive?: boolean | undefined
  /** Its maker's alone, and not in anybody else's lists. */
  readonly isPrivate?: boolean | undefined
  readonly propertyId?: number | undefined
  readonly storageShortcutId?: number | undefined
  readonly storageSubFolder?: string | undefined
}

/**
 * Keeps a new file. Throws AppError `invalid_input` (not whole, a property or shortcut that is not there), `too_large`, `unsupported_type` and
 * `unprocessable` (what its property refuses), `unavailable` (a full store); then nothing was saved.
 */
export async function createAssetFromStream(owner: AssetOwner, file: FileDescription, source: ContentSource): Promise<Asset> {
  const pending = await owner.transact((context) => openPending(context, owner.tenantUserId, file))
  return fillPending(owner, { ...pending, declaredType: file.mimeType }, source)
}

/** Makes the row of a file whose bytes will come: at once, or through an upload URL until `upload.until`. */
export async function openPending(
  context: TxContext,
  tenantUserId: number | null,
  file: FileDescription,
  upload?: { readonly until: string; readonly announcedBytes: number | undefined },
): Promise<store.PendingAsset> {
  const { tx, tenantId, stamp } = context
  const { isSensitive, allowedFileTypes } = await checkDestination(context, file)
  // Bytes that are here already speak for themselves; who is yet to send them is spared the way.
  if (upload) refuseName(file.fileName, allowedFileTypes)
  const assetKey = randomUUID()
  const originalFileName = shownFileName(file.fileName)
  const pending: store.PendingAsset = {
    assetKey,
    storagePath: storagePath(tenantId, stamp, assetKey),
    originalFileName,
    title: file.title ?? originalFileName,
    mimeType: file.mimeType ?? '',
    subPath: file.storageSubFolder ?? '',
    isSensitive,
    propertyId: file.propertyId ?? null,
    createdBy: tenantUserId,
    isPrivate: file.isPrivate === true,
    ...(upload ? { uploadUntil: upload.until, announcedBytes: upload.announcedBytes } : {}),
  }
  await store.insertPending(tx, tenantId, stamp, pending)
  return pending
}

function refuseName(fileName: string, allowedFileTypes: readonly string[]): void {
  const said = extensionOfName(shownFileName(fileName))
  if (said === '' || isAllowedType(said, allowedFileTypes)) return
  throw new AppError(
    'unsupported_type',
    `The property takes ${allowedFileTypes.join(', ')}; the file is called .${said}. Send one of those, or leave out propertyId.`,
  )
}

/** Throws where the file cannot go where it is meant to. */
async function checkDestination(
  { tx, tenantId }: TxContext,
  file: FileDescription,
): Promise<{ readonly isSensitive: boolean; readonly allowedFileTypes: readonly string[] }> {
  const issues = file.storageSubFolder === undefined ? [] : findSubFolderIssues(file.storageSubFolder)
  if (file.storageShortcutId !== undefined) {
    issues.push(
      finding(
        '$.storageShortcutId',
        `There is no storage shortcut ${file.storageShortcutId}. Leave it out to keep the file in the tenant's own store.`,
      ),
    )
  }
  const rules = file.propertyId === undefined ? undefined : await findFileRules(tx, tenantId, file.propertyId)
  if (file.propertyId !== undefined && !rules) {
    issues.push(finding('$.propertyId', `There is no property ${file.propertyId} of type Attachment, Signature or Binary.`))
  }
  if (issues.length > 0) throw new AppError('invalid_input', 'The file cannot be kept as described.', { issues })
  if (rules?.isSensitive && file.isSensitive === false) {
    throw new AppError('unprocessable', 'The property is sensitive and takes sensitive files only. Leave isSensitive out, or send true.')
  }
  return { isSensitive: file.isSensitive ?? rules?.isSensitive ?? false, allowedFileTypes: rules?.allowedFileTypes ?? [] }
}

/** `<tenant>/<year>/<month>/<key>`: names that people gave never become paths. */
function storagePath(tenantId: number, stamp: string, assetKey: string): string {
  return `${tenantId}/${stamp.slice(0, 4)}/${stamp.slice(5, 7)}/${assetKey}`
}

interface FillOptions {
  readonly keepsRow?: boolean
  /** Of the installation unless told. */
  readonly maxBytes?: number | undefined
  /** The product makes it, and ends it where it is large enough: limits of what is sent are not its. */
  readonly isMade?: boolean
  readonly beforeStored?: () => Promise<void>
  readonly onStored?: (context: TxContext) => Promise<void>
}

/**
 * Stores the bytes of a pending row and shows the asset. When that fails the row goes too, unless `keepsRow` leaves it for another try.
 * `beforeStored` runs once the bytes are there, before the transaction that shows it; `onStored` in that transaction.
 */
export async function fillPending(
  owner: AssetOwner,
  pending: {
    readonly assetKey: string
    readonly storagePath: string
    readonly originalFileName: string
    readonly propertyId: number | null
    readonly declaredType: string | undefined
  },
  source: ContentSource,
  { keepsRow = false, maxBytes = Number.MAX_SAFE_INTEGER, isMade = false, beforeStored, onStored }: FillOptions = {},
): Promise<Asset> {
  const { services, signal } = owner
  try {
    const stored = await storeContent(services.storage, pending.storagePath, source, {
      maxBytes: isMade ? maxBytes : Math.min(maxBytes, services.config.limits.uploadBytes),
      signal,
    })
    const type = await detectContentType(stored.head, pending.originalFileName, pending.declaredType)
    // What comes with a message is kept as it is: nobody is there to be told.
    if (owner.tenantUserId !== null) refuseUnsound(stored, pending.originalFileName, type)
    await beforeStored?.()
    return await owner.transact(async (context) => {
      const done = await complete(context, pending, stored, type)
      await onStored?.(context)
      return done
    })
  } catch (error) {
    await discard(owner, pending, keepsRow).catch((cause: unknown) =>
      services.log.warn({ err: cause, assetKey: pending.assetKey }, 'a failed upload is left to the sweep'),
    )
    throw error
  }
}

function refuseUnsound({ sizeBytes }: StoredContent, fileName: string, type: ContentType): void {
  if (sizeBytes === 0) throw new AppError('invalid_input', 'The file is empty. Nothing was saved; send its bytes.')
  const disguise = findDisguise(fileName, type)
  if (disguise !== undefined) throw new AppError('unsupported_type', `${disguise} Nothing was saved.`)
}

async function complete(
  context: TxContext,
  pending: { readonly assetKey: string; readonly storagePath: string; readonly propertyId: number | null },
  stored: StoredContent,
  type: ContentType,
): Promise<Asset> {
  const { tx, tenantId, stamp } = context
  const rules = pending.propertyId === null ? undefined : await findFileRules(tx, tenantId, pending.propertyId)
  if (rules && !isAllowedType(type.extension, rules.allowedFileTypes)) {
    throw new AppError(
      'unsupported_type',
      `The property takes ${rules.allowedFileTypes.join(', ')}; by its bytes this is ${type.mimeType}. Nothing was saved.`,
    )
  }
  await takeWithin(context, 'bytes', stored.sizeBytes, () => store.sumBytes(tx, tenantId))
  const done = await store.completeAsset(tx, tenantId, stamp, {
    assetKey: pending.assetKey,
    storagePath: pending.storagePath,
    mimeType: type.mimeType,
    fileExtension: type.extension,
    sizeBytes: stored.sizeBytes,
    sha256: stored.sha256,
  })
  if (!done) throw new AppError('conflict', 'Another upload through this URL was complete first. Ask for a new URL to upload another file.')
  tell(context, 'asset.saved', { assetKey: pending.assetKey, mimeType: type.mimeType, sizeBytes: stored.sizeBytes })
  context.afterCommit(() => sweepSoon(context.services, tenantId))
  return done
}

/** The row first: where a lost connection hid a commit, the row is an asset and its bytes must stay. */
async function discard(
  owner: AssetOwner,
  pending: { readonly assetKey: string; readonly storagePath: string },
  keepsRow: boolean,
): Promise<void> {
  const { services, tenantId } = owner
  const isOurs = await owner.transact(async ({ tx }) => {
    if (!keepsRow) return store.deletePending(tx, tenantId, pending.assetKey)
    const [kept] = await store.findStored(tx, tenantId, [pending.assetKey])
    return kept?.storagePath !== pending.storagePath
  })
  if (isOurs) await services.storage.delete(pending.storagePath)
}

/** Deletes files that the product made and keeps no longer. */
export async function dropAssets({ tx, tenantId, stamp, services, afterCommit }: TxContext, assetKeys: readonly string[]): Promise<void> {
  if (assetKeys.length === 0) return
  await store.markDeleted(tx, tenantId, assetKeys, stamp)
  afterCommit(() => sweepSoon(services, tenantId))
}

/** Takes back uploads that were opened for somebody: what came of them is deleted, and nothing comes any more. */
export async function forgetUploads(context: TxContext, assetKeys: readonly string[]): Promise<void> {
  if (assetKeys.length > 0) await store.giveUpPending(context.tx, context.tenantId, assetKeys)
  await dropAssets(context, assetKeys)
}
