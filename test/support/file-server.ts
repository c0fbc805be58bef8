/** The API on a port of its own over a world's platform, for tests that send files. */
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

import { createHttpServer } from '#server/http/server.ts'

import { openWorld, type TestTenant, type World } from './world.ts'
import { noBacklog } from './backlog.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows
  readonly body: any
}

export interface FileServer {
  readonly world: World
  readonly url: string
  /** The address may be one of the public URL: links are made for it, and the test's server listens elsewhere. */
  send(method: string, url: string, body?: NonNullable<RequestInit['body']>, headers?: Record<string, string>): Promise<Answered>
  /** A form with fields and one file, as the world's first tenant unless another key is given. */
  upload(bytes: Buffer | string, name: string, fields?: Record<string, string>, key?: string): Promise<Answered>
  /** The same, which must succeed; answers the assetKey. */
  uploaded(bytes: Buffer | string, name: string, fields?: Record<string, string>): Promise<string>
  /** Announces a body and sends only its beginning; `cut` ends the connection, `rest` sends more and resolves with the answer once the other end has closed. */
  sendPart(head: string, part: Buffer): Promise<{ cut: () => void; rest: (bytes: Buffer) => Promise<string> }>
  /** The names of the tenant's files in the store. */
  filesOf(tenant: TestTenant): Promise<string[]>
  /** What is being written at the moment. */
  arriving(): Promise<string[]>
  close(): Promise<void>
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Opens the world and the server. `env` overrides settings, by their environment names. */
export async function openFileServer(env: Record<string, string> = {}): Promise<FileServer> {
  const world = await openWorld({ PORT: '0', SHUTDOWN_SECONDS: '2', ...env })
  const server = await createHttpServer({
    pipeline: world.platform.pipeline,
    config: world.config,
    log: world.platform.services.log,
    backlog: () => Promise.resolve(noBacklog),
    readiness: () => Promise.resolve({ status: 'ready', dependencies: {} }),
    docs: { texts: new Map() },
    timeouts: { drain: 200 },
  })
  const { port } = await server.listen()
  const url = `http://127.0.0.1:${port}`
  const files = join(world.config.dataDir, 'files')

  const send: FileServer['send'] = async (method, target, body, headers = {}) => {
    const at = new URL(target, url)
    const response = await fetch(`${url}${at.pathname}${at.search}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const upload: FileServer['upload'] = (bytes, name, fields = {}, key = world.tenant.key) => {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append('file', new Blob([Buffer.from(bytes)]), name)
    return send('POST', '/api/v1/assets', form, bearer(key))
  }
  return {
    world,
    url,
    send,
    upload,
    async uploaded(bytes, name, fields) {
      const { status, body } = await upload(bytes, name, fields)
      if (status !== 200) throw new Error(`The upload of ${name} answered ${status}`)
      return body.assetKey
    },
    async sendPart(head, part) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      const bytes = Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n')), part])
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
      const answer = new Promise<string>((resolve) => {
        let said = ''
        socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
        socket.once('close', () => resolve(said))
      })
      return {
        cut: () => void socket.destroy(),
        rest(more) {
          socket.write(more)
          return answer
        },
      }
    },
    async filesOf(tenant) {
      const found = await readdir(files, { recursive: true, withFileTypes: true })
      const isTenants = (folder: string) => `${folder}/`.includes(`/files/${tenant.tenantId}/`)
      return found.filter((entry) => entry.isFile() && isTenants(entry.parentPath)).map((entry) => entry.name)
    },
    arriving: () => readdir(join(files, '.incoming')),
    async close() {
      await server.close()
      await world.close()
    },
  }
}
