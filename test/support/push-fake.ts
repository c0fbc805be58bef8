/** A push service and the browsers behind it: checks the signature and limits of each push, decrypts it as its browser would, and fails in the ways that matter. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** How a push to a browser is met; then `ok`. */
export type PushPlan = 'ok' | 'takeAndHang' | { readonly status: number; readonly retryAfter?: number }

export interface Push {
  readonly payload: {
    readonly title: string
    readonly body: string
    readonly tag: string
    readonly actions: { action: string; title: string }[]
    readonly reply: { url: string; token: string }
  }
  readonly topic: string
  readonly ttl: number
}

export interface FakeBrowser {
  readonly subscription: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } }
  /** What it was shown, in order. */
  readonly shown: Push[]
  plan(...plans: PushPlan[]): void
}

export interface PushFake {
  readonly vapid: { readonly publicKey: string; readonly privateKey: string }
  newBrowser(): FakeBrowser
  close(): Promise<void>
}

/** Whether a JWT is signed by the key that it names, for this place, and for no more than a day. */
function isVapid(authorization: string, publicKey: string, origin: string): boolean {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (key !== publicKey) return false
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: jwk, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string; exp: number; sub: string }
  const now = Date.now() / 1_000
  return isSigned && aud === origin && exp > now && exp <= now + 86_400 && /^(mailto:|https:)/.test(sub)
}

/** `aes128gcm` of RFC 8188, under the keys of RFC 8291. */
function decrypt(body: Buffer, own: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0]
  const [sender, cipher] = [body.subarray(21, 21 + idLength), body.subarray(21 + idLength)]
  const expand = (secret: Buffer, with_: Buffer, about: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, with_, about, length))
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const secret = expand(own.computeSecret(sender), auth, about, 32)
  const opened = createDecipheriv(
    'aes-128-gcm',
    expand(secret, salt, 'Content-Encoding: aes128gcm\0', 16),
    expand(secret, salt, 'Content-Encoding: nonce\0', 12),
  )
  opened.setAuthTag(cipher.subarray(-16))
  const padded = Buffer.concat([opened.update(cipher.subarray(0, -16)), opened.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

export async function openPushFake(): Promise<PushFake> {
  const signer = createECDH('prime256v1')
  signer.generateKeys()
  const vapid = {
    publicKey: signer.getPublicKey().toString('base64url'),
    privateKey: signer.getPrivateKey().toString('base64url').padStart(43, 'A'),
  }
  const browsers = new Map<
    string,
    { readonly take: (request: IncomingMessage, body: Buffer) => Push; readonly shown: Push[]; readonly plans: PushPlan[] }
  >()
  let origin = ''

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const end = (status: number, headers: Record<string, string> = {}) => void response.writeHead(status, headers).end()
    const browser = browsers.get(request.url ?? '')
    if (!browser) return end(404)
    const { authorization = '', ttl, topic } = request.headers
    if (!isVapid(authorization, vapid.publicKey, origin)) return end(403)
    if (request.headers['content-encoding'] !== 'aes128gcm' || !/^\d+$/.test(String(ttl))) return end(400)
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return end(400)
    if (body.length > 4_096) return end(413)
    const plan = browser.plans.shift() ?? 'ok'
    if (typeof plan === 'object') return end(plan.status, plan.retryAfter === undefined ? {} : { 'retry-after': String(plan.retryAfter) })
    browser.shown.push(browser.take(request, body))
    if (plan === 'ok') end(201)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    vapid,
    newBrowser() {
      const own = createECDH('prime256v1')
      own.generateKeys()
      const [auth, path, shown, plans] = [randomBytes(16), `/push/${randomBytes(8).toString('hex')}`, [] as Push[], [] as PushPlan[]]
      const take = ({ headers }: IncomingMessage, body: Buffer): Push => ({
        payload: JSON.parse(decrypt(body, own, auth)) as Push['payload'],
        topic: String(headers['topic']),
        ttl: Number(headers['ttl']),
      })
      browsers.set(path, { take, shown, plans })
      const keys = { p256dh: own.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
      return { subscription: { endpoint: `${origin}${path}`, keys }, shown, plan: (...next) => void plans.push(...next) }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
