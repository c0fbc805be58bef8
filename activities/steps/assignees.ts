/** Whom a step asks: from what a definition says to users. */
import { AppError } from '#platform/errors.ts'
import { roleBits, type RoleName } from '#platform/roles.ts'
import { type Assignment, findAssignees, isObject, listIn, slotIn } from '#tools/workflows/service.ts'
import { runAs } from '#platform/acting.ts'

import type { StepContext } from './step.types.ts'

const nobody: Assignment = { user: null, role: null, users: [] }
/** As many people as one task may be for. */
const maxPeople = 200

function isRole(name: unknown): name is RoleName {
  return typeof name === 'string' && name in roleBits
}

async function peopleOf({ services, who }: StepContext, said: Readonly<Record<string, unknown>>): Promise<number[]> {
  const { entity, filter } = said
  const wanted = { entity, pageSize: maxPeople, withDataJson: false, ...(filter === undefined ? {} : { filterRules: filter }) }
  const answer = await runAs(services, who, 'list_instances', wanted)
  const records = isObject(answer) ? listIn(answer['items']) : []
  return records.flatMap((one) => (isObject(one) && typeof one['eiRecordId'] === 'number' ? [one['eiRecordId']] : []))
}

/** The assignment that a resolved assignee stands for; nobody found: a task that waits for whoever reassigns it. */
export async function assignmentOf(step: StepContext, said: unknown): Promise<Assignment> {
  const { services, open, scope } = step
  const { tenantId } = open.order
  if (said === undefined || said === null) return { user: null, role: roleBits.DataEdit, users: null }
  if (!isObject(said)) throw new AppError('unprocessable', 'An assignee is an object, such as {"role": "DataEdit"}.')
  if (isRole(said['role'])) return { user: null, role: roleBits[said['role']], users: null }
  const { entity } = open.version
  const ofRecord = (property: string) => (entity === undefined ? null : scope().then((at) => at.resolve(`[[${entity}.${property}]]`)))
  const found = await (async (): Promise<readonly number[]> => {
    if (isObject(said['people'])) return findAssignees(services, tenantId, { eiRecordIds: await peopleOf(step, said['people']) })
    if (said['parent'] !== undefined)
      return findAssignees(services, tenantId, { eiRecordIds: [Number(await ofRecord('parentEIRecordId'))] })
    if (said['eiRecordId'] !== undefined) return findAssignees(services, tenantId, { eiRecordIds: [Number(said['eiRecordId'])] })
    const value =
      said['property'] === undefined
        ? said['variable'] === undefined
          ? said['tenantUserId']
          : await (await scope()).resolve(`[[$vars.${slotIn(said['variable'])}]]`)
        : await ofRecord(slotIn(said['property']))
    return findAssignees(services, tenantId, { values: Array.isArray(value) ? value.slice(0, maxPeople) : [value] })
  })()
  const [user] = found
  if (user === undefined) return nobody
  return found.length === 1 ? { user, role: null, users: null } : { user: null, role: null, users: found }
}
