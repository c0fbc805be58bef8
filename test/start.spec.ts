/** What a start that fails says last, and where its settings come from. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { freePort } from './support/ports.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fieldloop-start-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Starts the product in the directory. Answers its code and its last words. */
function start(env: Record<string, string>): Promise<{ code: unknown; last: string; all: string }> {
  return new Promise((answer) => {
    const options = { cwd: directory, env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 60_000 }
    execFile(process.execPath, [resolve('server/main.ts')], options, (error, stdout, stderr) => {
      answer({ code: error?.code ?? 0, last: stderr.trim().split('\n').at(-1)?.trim() ?? '', all: stdout + stderr })
    })
  })
}

it(
  'reads its settings from .env, refuses a wrong one in a sentence, and believes the real environment first',
  { timeout: 300_000 },
  async () => {
    writeFileSync(join(directory, '.env'), 'PORT=abc\nDATA_DIR=here\n')
    const wrong = await start({})
    expect([wrong.code, wrong.last]).toEqual([
      1,
      'Fieldloop could not start. The environment has settings that cannot be used. PORT: a whole number from 0 to 65535 is needed, not "abc"',
    ])
    expect(wrong.all).not.toContain('NaN')
    const other = await start({ PORT: '70000' })
    expect(other.last).toContain('not "70000"')
  },
)

it('says last why it could not start, whatever else was on its way', { timeout: 300_000 }, async () => {
  const nobody = await freePort()
  const failed = await start({
    DATABASE_URL: `postgres://owner:secret@127.0.0.1:${nobody}/none`,
    TEMPORAL_ADDRESS: `127.0.0.1:${nobody}`,
    PORT: '0',
  })
  expect([failed.code, failed.last]).toEqual([
    1,
    expect.stringMatching(/^Fieldloop could not start\. The database 127\.0\.0\.1:\d+\/none cannot be used/),
  ])
})
