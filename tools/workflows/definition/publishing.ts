/** Publishing: what is frozen, whom its runs act as, and which triggers are live from then on. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { flagOf, roleBits } from '#platform/roles.ts'
import type { Finding } from '#platform/validation.ts'
import { changeDefinition } from '#tools/definitions/service.ts'
import { addMember, keepServiceUser, refuseGrant } from '#tools/users/service.ts'

import { findFlowVersion } from '../runs/versions.ts'
import { keepTriggers } from '../triggers/live.ts'
import { keepWaits } from '../triggers/waits.ts'
import { findVersion, insertVersion, measureVersions, setPublished } from '../workflows.store.ts'
import { changesBetween } from './changes.rules.ts'
import type { WorkflowBody } from './definition.types.ts'
import { type Draft, findDraftProblems, referencesOf } from './drafts.ts'
import { planOf } from './plan.rules.ts'
import { entityOf } from './slots.rules.ts'
import { rolesOfBody } from './rights.rules.ts'

const maxVersions = 1_000
/** Of all workflows of a tenant. */
const maxBytes = 256 * 1024 * 1024

/** The tenant user as whom all versions run, with what the newest may do. */
async function keepUser({ tx, tenantId, stamp }: TxContext, { row, state, body }: Draft, roleFlag: number): Promise<number> {
  const name = `${body.pack ? 'Action pack' : 'Workflow'} ${row.internalName}`
  if (state.serviceUserId !== null) {
    await keepServiceUser(tx, tenantId, state.serviceUserId, { name, roleFlag })
    return state.serviceUserId
  }
  const userName = `workflow-${crypto.randomUUID()}`
  return (await addMember(tx, tenantId, { userName, displayName: name, roleFlag, isService: true, at: stamp })).tenantUserId
}

async function refuseTooMuch({ tx, tenantId }: TxContext, version: number, bytes: number): Promise<void> {
  if (version > maxVersions)
    throw new AppError('too_large', `A workflow has at most ${maxVersions} versions. clone_workflow begins anew with the draft.`)
  if ((await measureVersions(tx, tenantId)) + bytes > maxBytes)
    throw new AppError('too_large', `The versions of all workflows take at most ${maxBytes} bytes. Delete workflows that nobody needs.`)
}

/** Freezes a draft. Inside `changeDefinitions`. Throws 403 for roles that the caller lacks, 422 with everything that is wrong. */
export async function publish(context: TxContext, draft: Draft): Promise<{ readonly draft: Draft; readonly warnings: readonly Finding[] }> {
  const { tx, tenantId, stamp, actor } = context
  const { catalog, row, state, body } = draft
  const { workflowId } = state
  const roleFlag = flagOf(rolesOfBody(body))
  refuseGrant(actor.roleFlag, roleFlag)
  const findings = await findDraftProblems(context, draft)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first) {
    const message = `The ${body.pack ? 'pack cannot be installed' : 'workflow cannot be published'}. ${first.path}: ${first.message}`
    throw new AppError('unprocessable', message, { issues: errors.slice(0, 50) })
  }
  const before = state.version === null ? undefined : await findVersion(tx, tenantId, workflowId, state.version)
  const version = (state.version ?? 0) + 1
  const references = await referencesOf(context, catalog, body)
  const frozen = { body: JSON.stringify(body), refs: JSON.stringify(references), plan: JSON.stringify(planOf(body)) }
  await refuseTooMuch(context, version, frozen.body.length + frozen.refs.length + frozen.plan.length)
  const serviceUserId = await keepUser(context, draft, roleFlag)
  await insertVersion(tx, tenantId, stamp, workflowId, {
    version,
    internalName: row.internalName,
    entityId: entityOf(catalog, body.entity)?.entityId ?? null,
    ...frozen,
    roleFlag,
    // A version is kept by this function alone.
    changes: JSON.stringify(changesBetween(before && (JSON.parse(before.body) as WorkflowBody), body)),
    createdBy: actor.tenantUserId,
  })
  await setPublished(tx, tenantId, stamp, { workflowId, version, serviceUserId })
  // Triggers look at records as the runs may, and as whoever publishes them does.
  const sight = roleFlag | (actor.roleFlag & roleBits.DataView)
  await keepTriggers(context, { definitionId: workflowId, version, actsAs: serviceUserId, roleFlag: sight, triggers: body.triggers })
  await keepWaits(context, findFlowVersion, { definitionId: workflowId, version })
  // What the version before used alone is used no more.
  const kept = await changeDefinition(context, row, { body: { ...body }, references })
  context.audit({ workflowId, version, roles: rolesOfBody(body) })
  const published = { ...state, version, serviceUserId, isEnabled: true, publishedDate: stamp }
  return { draft: { ...draft, row: kept, state: published }, warnings: findings }
}
