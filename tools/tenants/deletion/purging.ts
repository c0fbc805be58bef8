/**
 * Removes tenants whose time to be kept is over: files, records, rows, and the tenant itself last. Each part may be done twice, so that whoever looks next
 * goes on where it stopped.
 */
import { randomUUID } from 'node:crypto'
import { setInterval } from 'node:timers'

import { credentialsTopic } from '#platform/authenticate.ts'
import { sqlState } from '#platform/db/transaction.ts'
import type { Services } from '#platform/services.ts'
import { deletePersons, listEmptyPersons } from '#tools/auth/service.ts'

import * as store from './deletion.store.ts'

const filesAtOnce = 16
const tablesAtOnce = 20
const rowsAtOnce = 5_000
const allRows = 2_147_483_647
const personsAtOnce = 1_000
/** A statement on many rows takes half a minute at most, and a claim is kept between two of them. */
const claimedSeconds = 120
const keepEveryMs = 20_000

const memberships = 'tenant_user'
const mustGoLater = '23503'

async function removeFiles({ storage }: Services, tenantId: number, signal: AbortSignal): Promise<void> {
  const remove = (paths: readonly string[]) => Promise.all(paths.map((path) => storage.delete(path)))
  let found: number
  // Once more, until it finds none: a walk need not see what comes meanwhile.
  do {
    found = 0
    let paths: string[] = []
    for await (const path of storage.walk(String(tenantId))) {
      found++
      if (paths.push(path) < filesAtOnce) continue
      await remove(paths)
      paths = []
      signal.throwIfAborted()
    }
    await remove(paths)
    signal.throwIfAborted()
  } while (found > 0)
}

/** False where rows elsewhere refer to it. Rows of a table that refer to each other go in one statement. */
async function removeFrom({ databases }: Services, table: string, tenantId: number, signal?: AbortSignal): Promise<boolean> {
  for (const atMost of [rowsAtOnce, allRows]) {
    try {
      while ((await databases.changeSchema((tx) => store.deleteRowsOf(tx, table, tenantId, atMost))) > 0) signal?.throwIfAborted()
      return true
    } catch (error) {
      if (sqlState(error) !== mustGoLater) throw error
    }
  }
  return false
}

/** Empties the tables in rounds: what others refer to goes once they are empty. */
async function removeRows(services: Services, tenantId: number, signal: AbortSignal): Promise<void> {
  let left = await services.databases.changeSchema((tx) => store.listTenantTables(tx))
  while (left.length > 0) {
    const refused: string[] = []
    for (const table of left) {
      // Whose memberships are gone is not found again: from those on, which come last, it goes to its end.
      const stopping = table !== memberships && left.includes(memberships) ? signal : undefined
      stopping?.throwIfAborted()
      if (!(await removeFrom(services, table, tenantId, stopping))) refused.push(table)
    }
    if (refused.length === left.length) throw new Error(`Rows of tenant ${tenantId} are referred to from elsewhere: ${refused.join(', ')}`)
    left = refused
  }
}

async function purge(services: Services, tenantId: number, signal: AbortSignal): Promise<void> {
  const { databases } = services
  await removeFiles(services, tenantId, signal)
  while ((await databases.changeSchema((tx) => store.dropRecordTables(tx, tenantId, tablesAtOnce))) > 0) signal.throwIfAborted()
  await databases.changeSchema((tx) => store.dropRecordSchema(tx, tenantId))
  const persons = await databases.changeSchema((tx) => listEmptyPersons(tx, tenantId))
  await removeRows(services, tenantId, signal)
  for (let at = 0; at < persons.length; at += personsAtOnce)
    await databases.changeSchema((tx) => deletePersons(tx, persons.slice(at, at + personsAtOnce)))
  await databases.changeSchema((tx) => store.deleteTenantRow(tx, tenantId))
}

/**
 * Removes it unless another process is at it: two of them would walk the same files, and each drop what the other one counts. Whoever dies is followed once
 * its claim is over.
 */
async function purgeAlone(services: Services, tenantId: number, signal: AbortSignal): Promise<boolean> {
  const { databases } = services
  const by = randomUUID()
  const claim = () => databases.changeSchema((tx) => store.claimDeletion(tx, tenantId, by, claimedSeconds))
  if (!(await claim())) return false
  const lost = new AbortController()
  const keeping = setInterval(() => {
    claim().then(
      (isOurs) => isOurs || lost.abort(new Error('Another process removes the tenant')),
      () => undefined,
    )
  }, keepEveryMs)
  try {
    await purge(services, tenantId, AbortSignal.any([signal, lost.signal]))
    return true
  } finally {
    clearInterval(keeping)
    await databases.changeSchema((tx) => store.releaseDeletion(tx, tenantId, by)).catch(() => undefined)
  }
}

/**
 * Several processes may look at once: each tenant is removed by one of them. One that fails is told, and tried again at the next look. It may take
 * hours: with the signal it stops after the files or rows at hand.
 */
export async function purgeDueTenants(services: Services, signal = new AbortController().signal): Promise<void> {
  for (const tenantId of await services.databases.lookUp((tx) => store.listDueDeletions(tx))) {
    try {
      if (!(await purgeAlone(services, tenantId, signal))) continue
      services.wake.poke(credentialsTopic)
      services.log.info({ tenantId }, 'a tenant was removed')
    } catch (error) {
      if (signal.aborted) return
      services.log.warn({ err: error, tenantId }, 'a tenant could not be removed whole')
    }
  }
}
