/** The contract's table of operations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ListedOperation {
  readonly method: string
  readonly path: string
  readonly role: string
  /** The folder of tools that it stands in. */
  readonly domain: string
}

/** By name, under the heading of the domain. */
export const listedOperations: ReadonlyMap<string, ListedOperation> = readTable()

function readTable(): Map<string, ListedOperation> {
  const table = new Map<string, ListedOperation>()
  let domain = ''
  for (const line of readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) domain = line.slice(3).trim().replaceAll(' ', '-')
    if (line === '' || line.startsWith('#')) continue
    const [name = '', method = '', path = '', role = ''] = line.split('\t')
    table.set(name, { method, path, role, domain })
  }
  return table
}
