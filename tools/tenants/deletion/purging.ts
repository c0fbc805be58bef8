/**
 * Removes tenants whose time to be kept is over: files, records, rows, and the tenant itself last. Each part may be done twice, so that whoever looks next
 * goes on where it stopped.
 */
import { credentialsTopic } from '#platform/authenticate.ts'
import { sqlState } from '#platform/db/transaction.ts'
import type { Services } from '#platform/services.ts'
import { deletePersons, listEmptyPersons } from '#tools/auth/service.ts'

import * as store from './deletion.store.ts'

const filesAtOnce = 500
const tablesAtOnce = 20
const rowsAtOnce = 5_000
const allRows = 2_147_483_647
const personsAtOnce = 1_000

const mustGoLater = '23503'

async function removeFiles({ storage }: Services, tenantId: number): Promise<void> {
  for (;;) {
    const { files } = await storage.list(String(tenantId), { limit: filesAtOnce })
    // A store may take a name for the beginning of one.
    const own = files.filter(({ path }) => path.startsWith(`${tenantId}/`))
    if (own.length === 0) return
    for (const { path } of own) await storage.delete(path)
  }
}

/** False where rows elsewhere refer to it. Rows of a table that refer to each other go in one statement. */
async function removeFrom({ databases }: Services, table: string, tenantId: number): Promise<boolean> {
  for (const atMost of [rowsAtOnce, allRows]) {
    try {
      while ((await databases.changeSchema((tx) => store.deleteRowsOf(tx, table, tenantId, atMost))) > 0);
      return true
    } catch (error) {
      if (sqlState(error) !== mustGoLater) throw error
    }
  }
  return false
}

/** Empties the tables in rounds: what others refer to goes once they are empty. */
async function removeRows(services: Services, tenantId: number): Promise<void> {
  let left = await services.databases.changeSchema((tx) => store.listTenantTables(tx))
  while (left.length > 0) {
    const refused: string[] = []
    for (const table of left) {
      if (!(await removeFrom(services, table, tenantId))) refused.push(table)
    }
    if (refused.length === left.length) throw new Error(`Rows of tenant ${tenantId} are referred to from elsewhere: ${refused.join(', ')}`)
    left = refused
  }
}

async function purge(services: Services, tenantId: number): Promise<void> {
  const { databases } = services
  await removeFiles(services, tenantId)
  while ((await databases.changeSchema((tx) => store.dropRecordTables(tx, tenantId, tablesAtOnce))) > 0);
  await databases.changeSchema((tx) => store.dropRecordSchema(tx, tenantId))
  const persons = await databases.changeSchema((tx) => listEmptyPersons(tx, tenantId))
  await removeRows(services, tenantId)
  for (let at = 0; at < persons.length; at += personsAtOnce)
    await databases.changeSchema((tx) => deletePersons(tx, persons.slice(at, at + personsAtOnce)))
  await databases.changeSchema((tx) => store.deleteTenantRow(tx, tenantId))
}

/** Several processes may do it at once: what one has removed the other does not find. One that fails is told, and tried again at the next look. */
export async function purgeDueTenants(services: Services): Promise<void> {
  for (const tenantId of await services.databases.lookUp((tx) => store.listDueDeletions(tx))) {
    try {
      await purge(services, tenantId)
      services.wake.poke(credentialsTopic)
      services.log.info({ tenantId }, 'a tenant was removed')
    } catch (error) {
      services.log.warn({ err: error, tenantId }, 'a tenant could not be removed whole')
    }
  }
}
