/** Sealing of secrets: the installation's key seals a tenant's key, a tenant's key seals its values, and each value is bound to its row. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

import { LRUCache } from 'lru-cache'

const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM: IV, tag and text in one buffer. `boundTo` is authenticated, so that a value moved to another row does not open. */
export function seal(key: Buffer, boundTo: string, plain: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(boundTo))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text])
}

/** Throws where the key, the binding or the bytes are not those of `seal`. */
export function unseal(key: Buffer, boundTo: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
  decipher.setAAD(Buffer.from(boundTo))
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()])
}

export interface Secrets {
  /** A new tenant's key, sealed for its row. */
  newTenantKey(): Buffer
  /** Seals a text under a tenant's key, bound to the row that keeps it (`channel:12`). */
  sealText(tenant: { tenantId: number; sealedKey: Buffer }, boundTo: string, text: string): Buffer
  unsealText(tenant: { tenantId: number; sealedKey: Buffer }, boundTo: string, sealed: Buffer): string
  /** Seals a text that is no tenant's, bound to the row that keeps it (`factor:12`). */
  sealOwn(boundTo: string, text: string): Buffer
  unsealOwn(boundTo: string, sealed: Buffer): string
  /** HMAC-SHA256 under a key derived for this purpose, base64url. */
  sign(purpose: string, text: string): string
  /** Compares in constant time. */
  verify(purpose: string, text: string, signature: string): boolean
}

export function createSecrets(installationKey: Buffer): Secrets {
  if (installationKey.length !== 32) throw new Error('SECRETS_KEY must be 32 bytes in base64')
  const opened = new LRUCache<string, Buffer>({ max: 500 })
  const tenantKey = (tenant: { tenantId: number; sealedKey: Buffer }) => {
    const id = `${tenant.tenantId}:${tenant.sealedKey.toString('base64')}`
    const known = opened.get(id)
    if (known) return known
    const key = unseal(installationKey, 'tenant key', tenant.sealedKey)
    opened.set(id, key)
    return key
  }
  const ownKey = createHmac('sha256', installationKey).update('own values').digest()
  const signature = (purpose: string, text: string) => {
    const key = createHmac('sha256', installationKey).update(`sign ${purpose}`).digest()
    return createHmac('sha256', key).update(text).digest('base64url')
  }
  return {
    newTenantKey: () => seal(installationKey, 'tenant key', randomBytes(32)),
    sealText: (tenant, boundTo, text) => seal(tenantKey(tenant), boundTo, Buffer.from(text)),
    unsealText: (tenant, boundTo, sealed) => unseal(tenantKey(tenant), boundTo, sealed).toString(),
    sealOwn: (boundTo, text) => seal(ownKey, boundTo, Buffer.from(text)),
    unsealOwn: (boundTo, sealed) => unseal(ownKey, boundTo, sealed).toString(),
    sign: signature,
    verify(purpose, text, given) {
      const right = Buffer.from(signature(purpose, text))
      const other = Buffer.from(given)
      return right.length === other.length && timingSafeEqual(right, other)
    },
  }
}
