/** Writes the types of the API's operations for the application for browsers, from the registry; they are too large to be committed. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { buildRegistry } from '#platform/registry.ts'
import { openapiDocument } from '#server/docs/openapi.ts'
import { domains } from '#tools/index.ts'

const root = resolve(import.meta.dirname, '../..')
const document = openapiDocument(buildRegistry(domains), { publicUrl: 'http://localhost', version: '0' })
const { status, stdout, stderr } = spawnSync(process.execPath, ['test/openapi/generate.ts'], {
  cwd: root,
  input: JSON.stringify(document),
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
if (status !== 0) throw new Error(`The types of the client could not be made: ${stderr}`)
writeFileSync(resolve(root, 'server/web/portal/api-types.d.ts'), stdout)
