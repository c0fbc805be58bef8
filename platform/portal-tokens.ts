/** Tokens that the portal gives to programs: opaque, encrypted (JWE), and nothing in them but the name of a session. */
import { CompactEncrypt, compactDecrypt } from 'jose'

import type { Secrets } from './secrets.ts'

const purpose = 'portal token'
const header = { alg: 'dir', enc: 'A256GCM' } as const

/** A key of its own, derived from the installation's. */
const keyOf = (secrets: Pick<Secrets, 'sign'>) => Buffer.from(secrets.sign(purpose, 'key'), 'base64url')

export async function writePortalToken(secrets: Pick<Secrets, 'sign'>, sessionSecret: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(sessionSecret)).setProtectedHeader(header).encrypt(keyOf(secrets))
}

/** What names the session; undefined for what is no such token. */
export async function readPortalToken(secrets: Pick<Secrets, 'sign'>, token: string): Promise<string | undefined> {
  if (!/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined
  try {
    const options = { keyManagementAlgorithms: [header.alg], contentEncryptionAlgorithms: [header.enc] }
    const { plaintext } = await compactDecrypt(token, keyOf(secrets), options)
    return Buffer.from(plaintext).toString()
  } catch {
    return undefined
  }
}
