/** An authenticator of software: makes passkeys and signs with them, as a browser would hand it on. The bytes are written by hand, so that they can be wrong. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** What is not as it should be, or told otherwise than by the options. */
export interface Twist {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly isVerified?: boolean
  readonly counter?: number
  readonly userHandle?: string | null
  /** In place of the attestation that says nothing. */
  readonly attestation?: Buffer
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}

interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const url = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** CBOR: a text and a string of bytes. */
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
const cborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes])

/** `{fmt: 'none', attStmt: {}, authData}` */
function plainAttestation(authData: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xa3]),
    cborText('fmt'),
    cborText('none'),
    cborText('attStmt'),
    Buffer.from([0xa0]),
    cborText('authData'),
    cborBytes(authData),
  ])
}

/** The public key as COSE has it: EC2, ES256, P-256, x, y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]), left, Buffer.from([0x22, 0x58, 32]), right])
}

export interface Passkey {
  create(options: CreationOptions, twist?: Twist): Record<string, unknown>
  get(options: RequestOptions, twist?: Twist): Record<string, unknown>
}

export function newPasskey(portalUrl: string): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  // Until it is told one: that of nobody.
  let handle = 'bm9ib2R5'
  const clientData = (type: string, challenge: string, twist: Twist) =>
    Buffer.from(
      JSON.stringify({
        type: twist.type ?? type,
        challenge: twist.challenge ?? challenge,
        origin: twist.origin ?? portalUrl,
        crossOrigin: twist.crossOrigin ?? false,
      }),
    )
  const head = (rpId: string, withKey: boolean, twist: Twist) => {
    // User present, user verified, and whether a key follows.
    const flags = 1 | (twist.isVerified === false ? 0 : 4) | (withKey ? 64 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(twist.counter ?? counter)
    return Buffer.concat([sha256(twist.rpId ?? rpId), Buffer.from([flags]), count])
  }
  const common = { id: url(id), rawId: url(id), type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' }
  return {
    create({ challenge, rp, user }, twist = {}) {
      handle = user.id
      const key = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)])
      const authData = Buffer.concat([head(rp.id, true, twist), key])
      return {
        ...common,
        response: {
          clientDataJSON: url(clientData('webauthn.create', challenge, twist)),
          attestationObject: url(twist.attestation ?? plainAttestation(authData)),
          transports: ['internal'],
        },
      }
    },
    get({ challenge, rpId }, twist = {}) {
      counter++
      const authData = head(rpId, false, twist)
      const data = clientData('webauthn.get', challenge, twist)
      const signature = createSign('sha256')
        .update(Buffer.concat([authData, sha256(data)]))
        .sign(privateKey)
      return {
        ...common,
        response: {
          clientDataJSON: url(data),
          authenticatorData: url(authData),
          signature: url(signature),
          ...(twist.userHandle === null ? {} : { userHandle: twist.userHandle ?? handle }),
        },
      }
    },
  }
}
