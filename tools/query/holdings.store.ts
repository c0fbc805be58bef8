/** The statement that asks which of a caller's access rules hold for records. */
import type { Tx } from '#platform/db/pool.ts'

import { createParameters, type Parameters } from './columns.rules.ts'
import { run } from './read.store.ts'
import type { Holding, Sight } from './sight.rules.ts'
import { fromSql, openSource, type Readable } from './source.rules.ts'

/** Which rules hold for a row under the alias, as JSON text. */
export function holdingSql(parameters: Parameters, { rules }: Sight, alias: string): string {
  const each = rules.map(({ holds }) => (holds === undefined ? 'true' : `coalesce(${holds(parameters, alias)}, false)`))
  return `array_to_json(array[${each.join(', ')}]::boolean[])::text`
}

/** For these records, deleted ones too. */
export async function listHoldings(tx: Tx, readable: Readable, access: Sight, ids: readonly number[]): Promise<Map<number, Holding>> {
  const parameters = createParameters()
  const holding = holdingSql(parameters, access, 't')
  const source = openSource({ ...readable, sight: undefined }, { alias: 't', rows: 'withDeleted' })
  const rows = fromSql(parameters, source, `t.id = any(${parameters.add(ids)}::bigint[])`)
  const found = await run<{ id: number; holding: string }>(tx, `select t.id, ${holding} as holding from ${rows}`, parameters)
  // The statement built this text itself.
  return new Map(found.map((row) => [row.id, JSON.parse(row.holding) as Holding]))
}
