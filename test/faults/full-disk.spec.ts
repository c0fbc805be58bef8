/** The disk under everything that the product keeps is full for a while: database, files, logs of the services. Needs the right to mount a small one. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { openStack, type Stack } from '../day/stack.ts'

function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'fieldloop-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=240m', 'none', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
}

const tried = mountSmallDisk()
if (tried !== undefined) unmount(tried)

let disk = ''
let filler = ''

/** Takes the room in pieces that become smaller, so that none is left for anybody. */
function fill(): void {
  for (let bytes = 16 * 1024 * 1024, n = 0; bytes >= 4096; n++) {
    try {
      writeFileSync(`${filler}-${n}`, Buffer.alloc(bytes))
    } catch {
      bytes = Math.floor(bytes / 4)
    }
  }
}

describe.skipIf(tried === undefined)('a full disk', () => {
  let stack: Stack
  beforeAll(async () => {
    disk = mountSmallDisk() ?? ''
    expect(disk).not.toBe('')
    filler = join(disk, 'filler')
    stack = await openStack({ DATA_DIR: join(disk, 'data'), LOG_LEVEL: 'info' })
    await stack.ready()
    expect(
      await rest('/api/v1/catalog/import', {
        properties: [{ internalName: 'Note', dataType: 'Text' }],
        entities: [{ internalName: 'Log', properties: [{ property: 'Note' }] }],
      }),
    ).toMatchObject({ status: 200 })
  })
  afterAll(async () => {
    await stack?.stop()
    if (disk !== '') unmount(disk)
  })

  async function rest(path: string, body: unknown): Promise<{ status: number; retryAfter: string | null; code: string | undefined }> {
    const form = body instanceof FormData
    const response = await fetch(stack.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.key}`, ...(form ? {} : { 'content-type': 'application/json' }) },
      body: form ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    })
    const { code } = (await response.json()) as { code?: string }
    return { status: response.status, retryAfter: response.headers.get('retry-after'), code }
  }
  const save = (key1: string) => rest('/api/v1/entities/Log/instances', { key1, data: { Note: 'y'.repeat(4_000) } })
  const upload = () => {
    const form = new FormData()
    form.append('file', new Blob(['x'.repeat(300_000)]), 'a.txt')
    return rest('/api/v1/assets', form)
  }

  it(
    'answers 503 with a time to wait, loses nothing that was acknowledged, and takes up its work when there is room',
    { timeout: 300_000 },
    async () => {
      const acknowledged: string[] = []
      const answers = new Map<number, number>()
      const saveSome = async (name: string, count: number) => {
        for (let n = 0; n < count; n++) {
          const answer = await save(`${name}${n}`)
          answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
          if (answer.status === 200) acknowledged.push(`${name}${n}`)
          else expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: expect.stringMatching(/^\d+$/) })
        }
      }
      await saveSome('before', 20)
      expect(acknowledged).toHaveLength(20)
      fill()
      const { bavail, bsize } = statfsSync(disk)
      expect(bavail * bsize).toBeLessThan(64 * 1024)
      // Until what the database holds in reserve is used up.
      await vi.waitFor(
        async () => {
          await saveSome(`full${acknowledged.length}-`, 40)
          expect(answers.get(503) ?? 0).toBeGreaterThan(50)
        },
        { timeout: 60_000 },
      )
      expect(await upload()).toMatchObject({ status: 503, code: 'unavailable' })
      expect((await fetch(`${stack.url}/healthz`)).status).toBe(200)

      execFileSync('sh', ['-c', `rm -f ${filler}-*`])
      await vi.waitFor(async () => expect(await save('after')).toMatchObject({ status: 200 }), { timeout: 60_000, interval: 200 })
      await stack.ready()
      expect(await upload()).toMatchObject({ status: 200 })
      for (const key of acknowledged) expect([key, (await rest(`/api/v1/entities/Log/instances/${key}`, {})).status]).toEqual([key, 200])
      expect(new Set(answers.keys())).toEqual(new Set([200, 503]))
    },
  )
})
