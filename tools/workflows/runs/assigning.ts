/** Whom a step asks: from what a definition says to users. */
import { type ActingFor, runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { roleBits, type RoleName } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'

import { findAssignees } from './ending.ts'
import type { Assignment } from './runs.types.ts'
import type { Scope } from './scope.ts'
import { isObject, listIn, maxPeople, slotIn } from './steps.rules.ts'

export interface Asking {
  readonly services: Services
  readonly who: ActingFor
  /** The name of the entity that the run is about. */
  readonly entity: string | undefined
  readonly eiRecordId: number | null
  scope(): Promise<Scope>
  /** As many people as are meant at most; 200 unless told. */
  readonly most?: number | undefined
}

const nobody: Assignment = { user: null, role: null, users: [] }
function isRole(name: unknown): name is RoleName {
  return typeof name === 'string' && name in roleBits
}

const idsIn = (answer: unknown): number[] =>
  (isObject(answer) ? listIn(answer['items']) : []).flatMap((one) =>
    isObject(one) && typeof one['eiRecordId'] === 'number' ? [one['eiRecordId']] : [],
  )

const narrow = { pageSize: maxPeople, withDataJson: false, properties: [] }

async function peopleOf(
  { services, who, most = maxPeople }: Asking,
  { entity, filter }: Readonly<Record<string, unknown>>,
): Promise<number[]> {
  const wanted = { entity, ...narrow, ...(filter === undefined ? {} : { filterRules: filter }) }
  const found: number[] = []
  for (let cursor: unknown; found.length < most;) {
    const page = await runAs(services, who, 'list_instances', { ...wanted, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...idsIn(page))
    cursor = isObject(page) ? page['nextCursor'] : undefined
    if (cursor === undefined) break
  }
  return found.slice(0, most)
}

/** The parent of the run's record where it is one of that entity, else none. */
async function parentOf({ services, who, scope, entity }: Asking, parent: unknown): Promise<number[]> {
  const id = entity === undefined ? null : await (await scope()).resolve(`[[${entity}.parentEIRecordId]]`)
  if (typeof id !== 'number') return []
  const filterRules = [{ property: 'eiRecordId', op: 'eq', value: id }]
  return idsIn(await runAs(services, who, 'list_instances', { entity: parent, ...narrow, filterRules }))
}

async function peersOf({ services, who, entity, eiRecordId }: Asking, peerEntity: unknown): Promise<number[]> {
  if (entity === undefined || eiRecordId === null) return []
  return idsIn(await runAs(services, who, 'list_peer_instances', { entity, record: String(eiRecordId), peerEntity, ...narrow }))
}

/** What may name a user: an id, an e-mail, a phone, or a list of these. */
async function valueOf({ scope, entity }: Asking, said: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (said['variable'] !== undefined) return (await scope()).resolve(`[[$vars.${slotIn(said['variable'])}]]`)
  if (said['property'] === undefined) return said['tenantUserId']
  return entity === undefined ? null : (await scope()).resolve(`[[${entity}.${slotIn(said['property'])}]]`)
}

async function recordsOf(asking: Asking, said: Readonly<Record<string, unknown>>): Promise<number[] | undefined> {
  if (isObject(said['people'])) return peopleOf(asking, said['people'])
  if (said['parent'] !== undefined) return parentOf(asking, said['parent'])
  if (said['peer'] !== undefined) return peersOf(asking, said['peer'])
  return said['eiRecordId'] === undefined ? undefined : [Number(said['eiRecordId'])]
}

/** As many records at a time as leave a transaction short. */
async function usersOfRecords(services: Services, tenantId: number, eiRecordIds: readonly number[]): Promise<readonly number[]> {
  const found = new Set<number>()
  for (let at = 0; at < eiRecordIds.length; at += maxPeople)
    for (const user of await findAssignees(services, tenantId, { eiRecordIds: eiRecordIds.slice(at, at + maxPeople) })) found.add(user)
  return [...found]
}

/** The assignment that a resolved assignee stands for; nobody found: a task that waits for whoever reassigns it. */
export async function findAssignment(asking: Asking, said: unknown): Promise<Assignment> {
  if (said === undefined || said === null) return { user: null, role: roleBits.DataEdit, users: null }
  if (!isObject(said)) throw new AppError('unprocessable', 'An assignee is an object, such as {"role": "DataEdit"}.')
  if (isRole(said['role'])) return { user: null, role: roleBits[said['role']], users: null }
  const { services, who } = asking
  const eiRecordIds = await recordsOf(asking, said)
  const value = eiRecordIds ? undefined : await valueOf(asking, said)
  const found = eiRecordIds
    ? await usersOfRecords(services, who.tenantId, eiRecordIds)
    : await findAssignees(services, who.tenantId, { values: Array.isArray(value) ? value.slice(0, maxPeople) : [value] })
  const [user] = found
  if (user === undefined) return nobody
  return found.length === 1 ? { user, role: null, users: null } : { user: null, role: null, users: found }
}
