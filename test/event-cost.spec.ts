/** What asking the filters of those who watch costs, however many they are, and that each is answered for itself. */
import { beforeAll, describe, expect, it } from 'vitest'

import type { Databases } from '#platform/db/databases.ts'
import type { Tx } from '#platform/db/pool.ts'
import { matchWaiting, subscriptionWatcherKind, type WatcherKinds } from '#tools/events/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

beforeAll(async () => {
  await call('create_property', { internalName: 'Name', dataType: 'Text' })
  for (const internalName of ['One', 'Fifty', 'Many', 'Gone', 'Broken'])
    await call('create_entity', { internalName, properties: [{ property: 'Name' }] })
})

const named = (value: string) => [{ property: 'Name', op: 'eq', value }]

/** Somebody who watches for new records of this name alone. */
async function watch(entity: string, name: string): Promise<number> {
  const filter = { entity, rules: named(name) }
  const { subscriptionId } = await call('create_event_subscription', { url: 'http://127.0.0.1:1/', kinds: ['record.created'], filter })
  return subscriptionId
}

/** So many who watch like the one that asks for `n0`, each for a name with a number of its own; they go by the number. */
async function watchLike(definitionId: number, count: number, most = count): Promise<void> {
  await world.sql`
    insert into platform.event_watcher (tenant_id, watcher_kind, definition_id, part, event_kinds, entity_id, property_ids, filter, filter_refs, owner_id, role_flag, since)
    select tenant_id, watcher_kind, definition_id, number, event_kinds, entity_id, property_ids, replace(filter, '"n0"', '"n' || number % ${most}::int || '"'),
      filter_refs, owner_id, role_flag, since
    from platform.event_watcher, generate_series(1, ${count - 1}::int) number where definition_id = ${definitionId}`
}

const save = (entity: string, Name: string) => call('save_instance', { entity, key1: Name, data: { Name } })

type Statement = (text: string, parameters: readonly unknown[]) => string

/** Carries on what waits: who wanted how many records, by definition and part, and the statements that it took. `rewrite` is shown the compiled ones. */
async function match(rewrite: Statement = (text) => text) {
  const { services } = world.platform
  const wanted = new Map<string, number>()
  let statements = 0
  const counted = (tx: Tx): Tx =>
    new Proxy(tx, {
      apply: (target, self, given) => (statements++, Reflect.apply(target, self, given)),
      get(target, name) {
        if (name !== 'unsafe') return Reflect.get(target, name)
        return (text: string, parameters: never[] = [], options = {}) => {
          statements++
          const sent = rewrite(text, parameters)
          return sent === text ? target.unsafe(text, parameters, options) : target.unsafe(sent)
        }
      },
    })
  const transact: Databases['transact'] = (of, work) => services.databases.transact(of, (open) => work({ ...open, tx: counted(open.tx) }))
  const kinds: WatcherKinds = {
    [subscriptionWatcherKind]: {
      async matched(_, matches) {
        for (const { watcher, records } of matches) {
          const name = `${watcher.definitionId} ${watcher.part}`
          wanted.set(name, (wanted.get(name) ?? 0) + records.length)
        }
      },
    },
  }
  const carried = await matchWaiting({ ...services, databases: { ...services.databases, transact } }, kinds)
  return { carried, statements, wanted }
}

describe('the filters of those who watch', () => {
  it('are asked in as many statements where fifty watch as where one does', async () => {
    await watch('One', 'n0')
    await watchLike(await watch('Fifty', 'n0'), 50)
    const statementsFor = async (entity: string) => {
      // The first learns what the table looks like.
      for (const name of ['a', 'b']) {
        await save(entity, name)
        const { carried, statements, wanted } = await match()
        expect([carried, [...wanted]]).toEqual([1, []])
        if (name === 'b') return statements
      }
      return 0
    }
    const ofOne = await statementsFor('One')
    expect(ofOne).toBeGreaterThan(5)
    expect(await statementsFor('Fifty')).toBe(ofOne)
  })

  it('are answered for each by itself, also where they take several statements', async () => {
    const id = await watch('Many', 'n0')
    await watchLike(id, 70, 60)
    for (const name of ['n3', 'n55', 'n60']) await save('Many', name)
    const { carried, wanted } = await match()
    expect(carried).toBe(3)
    expect(wanted).toEqual(new Map([3, 55, 63].map((part) => [`${id} ${part}`, 1])))
  })

  it('that name what is gone, or that the database cannot answer, keep nobody else from theirs', async () => {
    const [sound, gone, alsoSound] = [await watch('Gone', 'a'), await watch('Gone', 'b'), await watch('Gone', 'a')]
    const [fine, broken] = [await watch('Broken', 'a'), await watch('Broken', 'broken')]
    const filter = JSON.stringify({ filter: { entity: 'Gone', rules: [{ property: 'Nowhere', op: 'eq', value: 'a' }] } })
    await world.sql`update platform.event_watcher set filter = ${filter}, filter_refs = '[]' where definition_id = ${gone}`
    await save('Gone', 'a')
    await save('Broken', 'a')
    const divides: Statement = (text, parameters) => (parameters.includes('broken') ? 'select 1 / 0' : text)
    const { carried, wanted } = await match(divides)
    expect(carried).toBe(2)
    expect(wanted).toEqual(new Map([sound, alsoSound, fine].map((id) => [`${id} `, 1])))
    expect(wanted.has(`${broken} `)).toBe(false)
    expect(await match()).toMatchObject({ carried: 0 })
  })
})
