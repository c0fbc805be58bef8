/** Findings on their way through Temporal, which keeps what passes through it: packed, and sealed with the tenant's key. */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

import { mustExist } from '#platform/errors.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import type { Services } from '#platform/services.ts'
import type { Findings } from '#platform/shapes/recognition.ts'

const pack = promisify(brotliCompress)
const unpack = promisify(brotliDecompress)
/** As quick as gzip, and a third smaller on text that is not English. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const boundTo = (assetKey: string) => `recognition:${assetKey}`

async function tenantOf({ databases }: Services, tenantId: number): Promise<{ tenantId: number; sealedKey: Buffer }> {
  const sealedKey = await databases.transact({ tenantId, isReadOnly: true }, ({ tx }) => findTenantKey(tx, tenantId))
  return { tenantId, sealedKey: mustExist(sealedKey, 'tenant') }
}

/** Text in base64. A payload of Temporal ends at 2 MiB; the largest findings, half a million characters and 5,000 words, pack far below it. */
export async function sealFindings(services: Services, tenantId: number, assetKey: string, findings: Findings): Promise<string> {
  const packed = await pack(JSON.stringify(findings), packing)
  const sealed = services.secrets.sealText(await tenantOf(services, tenantId), boundTo(assetKey), packed.toString('base64'))
  return sealed.toString('base64')
}

/** Throws where the text is not one of `sealFindings` for this tenant and asset. */
export async function unsealFindings(services: Services, tenantId: number, assetKey: string, sealed: string): Promise<Findings> {
  const packed = services.secrets.unsealText(await tenantOf(services, tenantId), boundTo(assetKey), Buffer.from(sealed, 'base64'))
  const bytes = await unpack(Buffer.from(packed, 'base64'))
  // The seal vouches that sealFindings wrote it.
  return JSON.parse(bytes.toString()) as Findings
}
