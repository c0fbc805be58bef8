/** Packs as their operations find, keep and show them: those of the tenant, and those that ship with the product. */
import type { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { AppError } from '#platform/errors.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import { loadReferences, readDisplays, shownIn } from '#tools/properties/service.ts'

import type { actionPack } from '../action-packs.schema.ts'
import { findPack, findPackVersion, insertPackVersion, listPackNames, measurePacks } from '../action-packs.store.ts'
import type { Manifest } from '../manifest.schema.ts'
import { shippedPacks } from '../shipped/index.ts'
import type { ShippedPack } from '../shipped/shipped.types.ts'
import { sortKeyOf } from '../versions.rules.ts'

const maxPacks = 500
const maxVersions = 200
/** Of all versions of all packs of a tenant. */
const maxBytes = 64 * 1024 * 1024

export interface Pack {
  readonly packId: number
  readonly internalName: string
  readonly shipped: ShippedPack | undefined
}

export function findShipped(slot: IdOrName): ShippedPack | undefined {
  const { id, name } = readIdOrName(slot)
  return shippedPacks.find(
    ({ packId, manifest }) => packId === id || (name !== null && manifest.internalName.toLowerCase() === name.toLowerCase()),
  )
}

/** The pack that a path names. Throws 404 with the nearest name. */
export async function openPack({ tx, tenantId }: TxContext, slot: IdOrName): Promise<Pack> {
  const shipped = findShipped(slot)
  if (shipped) return { packId: shipped.packId, internalName: shipped.manifest.internalName, shipped }
  const row = await findPack(tx, tenantId, slot)
  if (row) return { ...row, shipped: undefined }
  const names = [...shippedPacks.map(({ manifest }) => manifest.internalName), ...(await listPackNames(tx, tenantId))]
  const issues = [unknownName('$.actionPack', 'action pack', slot, names, 'list_action_packs')]
  throw new AppError('not_found', 'No such action pack.', { issues })
}

/** Throws 403 for a pack that ships with the product. */
export function refuseShipped({ shipped, internalName }: Pack): void {
  if (shipped)
    throw new AppError('forbidden', `${internalName} ships with the product and is read-only. create_action_pack makes one of your own.`)
}

/** A version; the newest unless told. Throws 404. */
export async function readManifest({ tx, tenantId }: TxContext, pack: Pack, version?: string): Promise<Manifest> {
  const { shipped, packId, internalName } = pack
  if (shipped && (version === undefined || version === shipped.manifest.version)) return shipped.manifest
  const row = shipped ? undefined : await findPackVersion(tx, tenantId, packId, version)
  if (!row) throw new AppError('not_found', `${internalName} has no version ${version ?? ''}. describe_action_pack shows its versions.`)
  // Written by keepVersion alone, as create_action_pack parsed it.
  return JSON.parse(row.manifest) as Manifest
}

/** Of a manifest that was checked. Throws 413 past what a tenant may keep, 409 where the version is there. */
export async function keepVersion({ tx, tenantId, stamp, actor }: TxContext, packId: number, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest)
  const { packs, versions, bytes } = await measurePacks(tx, tenantId, packId)
  if (versions >= maxVersions) throw new AppError('too_large', `A pack has at most ${maxVersions} versions. Create another pack.`)
  if (packs >= maxPacks && versions === 0)
    throw new AppError('too_large', `A tenant has at most ${maxPacks} packs. Delete one that is not installed.`)
  if (bytes + Buffer.byteLength(text) > maxBytes)
    throw new AppError('too_large', `The packs of a tenant take at most ${maxBytes} bytes. Delete some that are not installed.`)
  const { version } = manifest
  const row = { version, manifest: text, createdDate: stamp, sortKey: sortKeyOf(version), createdBy: actor.tenantUserId }
  if (!(await insertPackVersion(tx, tenantId, packId, row)))
    throw new AppError('conflict', `${manifest.internalName} has a version ${version} already. Give this one another number.`)
}

type Head = Pick<Manifest, 'internalName' | 'version'> & Partial<Pick<Manifest, 'displays' | 'description' | 'iconKey' | 'roles'>>

/** Packs as the wire has them. */
export async function showPacks(
  context: TxContext,
  packs: readonly { readonly pack: Pack; readonly head: Head }[],
  installs: ReadonlyMap<number, number>,
): Promise<z.output<typeof actionPack>[]> {
  const languages = await findDisplayLanguages(context)
  const references = await loadReferences(context.tx, context.tenantId)
  return packs.map(({ pack, head }) => {
    const { displays } = readDisplays(head.displays ?? [], references, '$.displays')
    const { name, description } = shownIn(displays, languages, head.internalName)
    return {
      actionPackId: pack.packId,
      internalName: head.internalName,
      name,
      description: head.description ?? description,
      iconKey: head.iconKey ?? null,
      version: head.version,
      roles: [...(head.roles ?? [])],
      isSystem: pack.shipped !== undefined,
      installs: installs.get(pack.packId) ?? 0,
    }
  })
}

export async function showPack(context: TxContext, pack: Pack, head: Head, installs = 0): Promise<z.output<typeof actionPack>> {
  const [shown] = await showPacks(context, [{ pack, head }], new Map([[pack.packId, installs]]))
  if (!shown) throw new Error('A pack was not shown')
  return shown
}
