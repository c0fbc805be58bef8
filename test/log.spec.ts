/** The log: what it keeps to itself, and that it never stands in the way of what it tells of. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { openSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { expect, it } from 'vitest'

import { createLog } from '#platform/log.ts'

const secret = 'S3CRETVALUE'

function linesOf(tell: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  tell(createLog('trace', (line) => lines.push(line)))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  return lines.join('')
}

it.each([
  ['a header, in any case', { headers: { Authorization: secret, cookie: secret, 'x-api-key': secret, 'X-Twilio-Signature': secret } }],
  ['a field far down', { a: { b: { c: { d: [{ e: { password: secret } }] } } } }],
  [
    'a name of which it is a part',
    { webhookSecret: secret, refresh_token: secret, sealedSecrets: secret, signInToken: secret, passwordHash: secret },
  ],
  ['whole settings', { input: { secrets: { user: secret, authToken: secret } } }],
  ['the query of a signed address', { url: `https://ops.example.com/a?u=1&sig=${secret}&exp=2` }],
  ['a one-time upload address', { path: `/api/v1/uploads/${secret}` }],
  ['the user of an address', { DATABASE_URL: `postgres://app:${secret}@db/x` }],
  ['a header quoted in a text', { note: `sent Bearer ${secret} and basic ${secret}` }],
  ['a key of ours', { note: `tried with flk_${secret}` }],
  [
    'an error, its fields and its causes',
    {
      err: Object.assign(
        new Error(`at https://x/?token=${secret}`, { cause: Object.assign(new Error(`flk_${secret}`), { password: secret }) }),
        { config: { headers: { authorization: secret } } },
      ),
    },
  ],
  ['bytes', { body: Buffer.from(secret) }],
])('masks a secret in %s', (_, fields) => {
  expect(linesOf((log) => log.info(fields, 'something'))).not.toContain(secret)
})

it('masks a secret in the message, and in an error that is logged alone', () => {
  const told = linesOf((log) => {
    log.warn(`could not fetch https://x/?sig=${secret}`)
    log.error(new Error(`could not fetch https://x/?sig=${secret}`))
  })
  expect(told.match(/masked/g)?.length).toBe(4)
  expect(told).not.toContain(secret)
})

it('shows everything else as it is', () => {
  const fields = {
    operation: 'get_asset',
    credentialId: 'key:7',
    ms: 1.5,
    issues: [{ path: '$.a' }],
    at: new Date(0),
    nothing: null,
    url: 'https://x/?page=2',
  }
  expect(JSON.parse(linesOf((log) => log.info(fields, 'call')))).toMatchObject({
    ...fields,
    at: '1970-01-01T00:00:00.000Z',
    level: 'info',
    msg: 'call',
  })
  const loop: Record<string, unknown> = { name: 'loop' }
  loop['self'] = loop
  expect(linesOf((log) => log.info(loop, 'round'))).toContain('[deeper]')
})

it.skipIf(process.platform !== 'linux')('on a full disk throws nothing at whoever logs, and the process goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fieldloop-log-'))
  const script = join(folder, 'child.ts')
  await writeFile(
    script,
    `import { createLog } from '${process.cwd()}/platform/log.ts'
    const log = createLog('info')
    for (let n = 0; n < 20_000; n++) log.info({ n, filler: 'x'.repeat(200) }, 'nobody hears this')
    process.stdout.write(String(process.memoryUsage().heapUsed < 200e6))`,
  )
  const full = openSync('/dev/full', 'w')
  try {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', full] })
    const said = child.stdout ? text(child.stdout) : undefined
    const [code] = await once(child, 'exit')
    expect({ said: await said, code }).toEqual({ said: 'true', code: 0 })
  } finally {
    closeSync(full)
    await rm(folder, { recursive: true, force: true })
  }
})
