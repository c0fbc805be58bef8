import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { lintFromString, loadConfig } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import { describe, expect, it } from 'vitest'

import { buildRegistry } from '#platform/registry.ts'
import { openapiDocument } from '#server/docs/openapi.ts'
import { domains } from '#tools/index.ts'

import { ruleset } from './openapi/spectral.ts'

const root = resolve(import.meta.dirname, '..')
const document = openapiDocument(buildRegistry(domains), { publicUrl: 'https://ops.fieldloop.test', version: '1.2.3' })
const source = JSON.stringify(document)

/** Compiles the calls of test/openapi/calls.ts, changed as told, against the types that a generator makes of the document. */
function compile(change: (calls: string) => string): { readonly status: number | null; readonly words: string } {
  const generated = spawnSync(process.execPath, ['test/openapi/generate.ts'], {
    cwd: root,
    input: source,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  expect([generated.status, generated.stderr]).toEqual([0, ''])
  const folder = mkdtempSync(join(tmpdir(), 'fieldloop-client-'))
  try {
    cpSync(join(root, 'test/openapi/calls.ts'), join(folder, 'calls.ts'))
    writeFileSync(join(folder, 'client.d.ts'), generated.stdout)
    writeFileSync(join(folder, 'calls.ts'), change(readFileSync(join(folder, 'calls.ts'), 'utf8')))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const options = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', '']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const result = spawnSync(process.execPath, [tsc, ...options, '--allowImportingTsExtensions', '--skipLibCheck', 'calls.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status: result.status, words: `${result.stdout}${result.stderr}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the OpenAPI document', () => {
  it('gives a generated client types that take right calls and refuse wrong ones', () => {
    expect(compile((calls) => calls)).toEqual({ status: 0, words: '' })
    const wrong = readFileSync(join(root, 'test/openapi/calls.ts'), 'utf8').split('// @ts-expect-error').length - 1
    const { words } = compile((calls) => calls.replaceAll('// @ts-expect-error', '//'))
    expect(words.match(/error TS/g)).toHaveLength(wrong)
    expect(wrong).toBeGreaterThanOrEqual(10)
  })

  it('pleases Spectral', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset(ruleset)
    const findings = await linter.run(source)
    expect(findings.map(({ code, message, path }) => `${code}: ${message} (${path.join('.')})`)).toEqual([])
    expect(Object.keys(linter.ruleset?.rules ?? {}).length).toBeGreaterThan(40)
  })

  it('pleases Redocly', async () => {
    const config = await loadConfig({ configPath: join(root, 'test/openapi/redocly.yaml') })
    const findings = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    expect(findings.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`)).toEqual([])
    const broken = source.replace('"operationId":"whoami"', '"operationId":"list_entities"')
    const seen = await lintFromString({ source: broken, absoluteRef: '/openapi.json', config })
    expect(seen.map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique')
  })
})
