/** What access rules cost an entity that has none: nothing, whatever the others have. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { readFrame } from '#tools/query/service.ts'

import { openWorld, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
  for (const internalName of ['Open', 'Other']) {
    await world.call('create_entity', { internalName })
    await world.call('save_instance', { entity: internalName, key1: 'a', data: {} })
  }
})

afterAll(async () => world?.close())

/** The statements that prepare a read, once its catalog and columns are known. */
async function statementsFor(entity: string): Promise<number> {
  let statements = 0
  const person = { tenantUserId: world.tenant.tenantUserId }
  for (let turn = 0; turn < 2; turn++) {
    statements = 0
    await inSystemTransaction(
      world.platform.services,
      world.tenant.tenantId,
      async (context) => {
        const tx = new Proxy(context.tx, {
          apply: (target, self, given) => (statements++, Reflect.apply(target, self, given)),
          get: (target, name) => (name === 'unsafe' && statements++, Reflect.get(target, name)),
        })
        await readFrame({ ...context, tx }, entity)
      },
      person,
    )
  }
  return statements
}

it('prepares the read of an entity without rules with the statements that it took before there were any', async () => {
  const before = await statementsFor('Open')
  expect(before).toBeGreaterThan(0)
  const rule = { role: 'DataView', read: true, filter: [{ property: 'modifiedBy', op: 'eq', value: '[[$user.tenantUserId]]' }] }
  await world.call('set_entity_access', { entity: 'Other', rules: [rule] })
  expect(await statementsFor('Open')).toBe(before)
  expect(await statementsFor('Other')).toBeGreaterThan(before)
})
