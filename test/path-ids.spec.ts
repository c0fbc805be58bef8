/** Ids that cannot exist name nothing, in every operation that has one in its path, whatever the transport. */
import { expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'

import { newPerson, newSession } from './support/persons.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

const impossible = [0, -1, 1.5, 2_147_483_648, 9_007_199_254_740_991, 1e30, '', 'x'.repeat(5_000), '1'.repeat(5_000), '../..', 'ﬀ 😀']

/** What stands in the place of a record there is a key where it is no number, and no key is taken: 422. */
const takesNoKey = ['update_form_record', 'update_form_record_multi', 'validate_form_record_multi_update']

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'answered'
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : String(error)
  }
}

it('answers 404 with what an id looks like, and nothing else', { timeout: 300_000 }, async () => {
  const operations = world.platform.pipeline.registry.operations.filter(({ pathParams }) => pathParams.length > 0)
  expect(operations.length).toBeGreaterThan(50)
  const wrong: string[] = []
  let asked = 0
  const global = await world.newTenant(1023)
  const session = await newSession(world, await newPerson(world, global))
  for (const { name, pathParams, examples, roleRule } of operations) {
    // The token of an upload URL is a signature, and one that does not fit is 403.
    for (const param of pathParams.filter((one) => one !== 'uploadToken')) {
      for (const value of impossible) {
        const [example] = examples
        // The example is known to fit the schema, so that the id alone is wrong.
        const input = { ...(typeof example?.input === 'object' ? example.input : {}), [param]: value }
        // What is a person's own is no tool.
        const by = roleRule.isOfPerson ? { key: session } : { key: global.key, transport: asked % 2 ? ('mcp' as const) : ('rest' as const) }
        const found = await failureOf(world.call(name, input, by))
        asked++
        const isKey = takesNoKey.includes(name) && param === 'record' && !/^\d+$/.test(String(value))
        const isTold = found.startsWith('not_found: ') || (isKey && found.startsWith('unprocessable: '))
        if (!isTold) wrong.push(`${name} ${param}=${String(value).slice(0, 30)} → ${found.slice(0, 160)}`)
      }
    }
  }
  expect(asked).toBeGreaterThan(500)
  expect(wrong).toEqual([])
})

it('says what the id would be', async () => {
  expect(await failureOf(world.call('get_job', { jobId: 0 }))).toBe('not_found: No such job. jobId is a whole number from 1, such as 12.')
})
