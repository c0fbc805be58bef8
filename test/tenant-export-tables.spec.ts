/** That nothing is forgotten: each table of the platform that has rows of tenants, and each of its columns, leaves with them or is named with a reason. */
import { describe, expect, it } from 'vitest'

import { filePath, lineName } from '#tools/tenants/export/paths.rules.ts'
import { exportedTables, leftOutTables, tablesElsewhere } from '#tools/tenants/export/tables.rules.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

async function columnsOfTenants(): Promise<Column[]> {
  return world.sql<Column[]>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables b using (table_schema, table_name)
    where c.table_schema = 'platform' and b.table_type = 'BASE TABLE' and exists (
      select from information_schema.columns t where t.table_schema = 'platform' and t.table_name = c.table_name and t.column_name = 'tenant_id')`
}

describe('an export of a tenant', () => {
  it('decides of every table with rows of tenants, in one way', async () => {
    const tables = new Set((await columnsOfTenants()).map(({ table }) => table))
    expect(tables.size).toBeGreaterThan(70)
    const named = [...exportedTables.map(({ table }) => table), ...Object.keys(tablesElsewhere), ...Object.keys(leftOutTables)]
    expect(named.length).toBe(new Set(named).size)
    expect({ forgotten: [...tables].filter((one) => !named.includes(one)), gone: named.filter((one) => !tables.has(one)) }).toEqual({
      forgotten: [],
      gone: [],
    })
    for (const [table, why] of Object.entries(leftOutTables)) expect(why.length, table).toBeGreaterThan(5)
  })

  it('decides of every column, and takes none that holds bytes', async () => {
    const columns = (await columnsOfTenants()).filter(({ column }) => column !== 'tenant_id')
    const problems = exportedTables.flatMap(({ table, columns: taken, withheld = {} }) => {
      const present = columns.filter((one) => one.table === table)
      const decided = [...taken, ...Object.keys(withheld)]
      return [
        ...present.filter(({ column }) => !decided.includes(column)).map(({ column }) => `${table}.${column} is forgotten`),
        ...decided.filter((name) => !present.some(({ column }) => column === name)).map((name) => `${table}.${name} is gone`),
        ...decided.filter((name, index) => decided.indexOf(name) !== index).map((name) => `${table}.${name} is named twice`),
        ...present
          .filter(({ column, type }) => type === 'bytea' && taken.includes(column))
          .map(({ column }) => `${table}.${column} is bytes`),
      ]
    })
    expect(problems).toEqual([])
    expect(exportedTables.flatMap((one) => one.columns).length).toBeGreaterThan(400)
  })
})

describe('names in an archive', () => {
  it('are such as every system takes, and none leaves its folder', () => {
    expect(filePath('k', '../../etc/passwd')).toBe('files/k/_.._etc_passwd')
    expect(filePath('k', String.raw`a\b:c*?.txt`)).toBe('files/k/a_b_c__.txt')
    expect(filePath('k', '...')).toBe('files/k/file')
    expect(filePath('k', `${'ä'.repeat(400)}.jpeg`)).toMatch(/^files\/k\/ä{100}ä{45}\.jpeg$/)
    expect(lineName('Work/Order', 7)).toBe('Work_Order-7')
  })
})
