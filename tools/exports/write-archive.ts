/** An archive among the assets, written while it is filled. */
import { type AssetOwner, fillPending, openPending } from '#tools/assets/service.ts'
import type { TxContext } from '#platform/operation.ts'

import { type Archive, openArchive } from './archive.ts'

export interface ArchiveRequest<Filled> {
  /** Whose the archive is. */
  readonly owner: AssetOwner
  /** Without its extension. */
  readonly name: string
  /** The folder that marks what it is among the assets. */
  readonly folder: string
  /** When its files were changed last. */
  readonly at: Date
  /** Adds the files. */
  fill(archive: Archive): Promise<Filled>
  /** In the transaction that shows the archive. */
  readonly onStored: (context: TxContext, assetKey: string, filled: Filled) => Promise<void>
}

/** Writes an archive into a new file, its owner's alone. Throws what the filling or the storing throws; then there is no file. */
export async function writeArchive<Filled>({ owner, name, folder, at, fill, onStored }: ArchiveRequest<Filled>): Promise<void> {
  const file = { fileName: `${name}.zip`, mimeType: 'application/zip', isSensitive: true, isPrivate: true, storageSubFolder: folder }
  const pending = await owner.transact((context) => openPending(context, owner.tenantUserId, file))
  const archive = openArchive(at)
  let filled: { readonly value: Filled } | undefined
  // The one that fails makes the other one fail: only the first tells why.
  const failures: unknown[] = []
  const failed = (error: unknown) => {
    failures.push(error)
    archive.fail(error)
  }
  await Promise.all([
    fill(archive).then((value) => {
      filled = { value }
      archive.end()
    }, failed),
    fillPending(
      owner,
      { ...pending, declaredType: file.mimeType },
      { stream: archive.stream },
      {
        isMade: true,
        async onStored(context) {
          if (filled === undefined) throw new Error('An archive was stored before it was filled')
          await onStored(context, pending.assetKey, filled.value)
        },
      },
    ).catch(failed),
  ])
  if (failures.length > 0) throw failures[0]
}
