/**
 * Webhooks that start runs: of a workflow or of an install, whoever's address it is. The signature is checked over the body as it came, a replay starts
 * nothing, and whoever asked for it is told the result.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { z } from 'zod'

import { findActingUser } from '#platform/acting.ts'
import { type Answer, bytesAnswer } from '#platform/answer.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { readJson } from '#platform/json.ts'
import type { RawRequest, StagedContext, TxContext } from '#platform/operation.ts'

import { valueAt } from '../definition/definition.types.ts'
import { webhookSecretName } from '../definition/webhooks.ts'
import { anyJson, workflowState } from '../runs/runs.schema.ts'
import { findRun } from '../runs/runs.store.ts'
import { startRuns } from '../runs/starting.ts'
import { findFlowVersion } from '../runs/versions.ts'
import { fulfilling } from './asking.ts'
import { deliveryName, headersShown, isSigned } from './signatures.rules.ts'
import { findRunOf, findTenantOfTrigger, findWebhookTrigger, noteRunOf, takeDelivery, type WebhookTrigger } from './webhooks.store.ts'

/** What a sender is told. */
export const received = z.object({
  workflowInstanceId: z.int().nullable().describe('null: the filter of the trigger, or a run under way, left it out'),
  state: workflowState.nullable(),
  result: anyJson.optional().describe('Where the trigger responds with it'),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})
type Received = z.input<typeof received>

/** A run holds what triggered it with everything else. */
const bodyBytes = 224 * 1024
const resultMs = 10_000
const shortestPauseMs = 50
const longestPauseMs = 400

// One sentence for every reason, so that whoever forges one learns nothing.
const forged = () =>
  new AppError(
    'unauthenticated',
    'The signature or its time is missing or wrong. Check the secret of the trigger, its scheme and the clock of the sender; set_workflow_triggers takes another secret.',
  )

const noTrigger = 'webhook trigger'

/** What a body says: JSON, the fields of a form, or its text. */
async function readBody({ body, headers }: RawRequest): Promise<unknown> {
  if (body.length === 0) return null
  if (body.length > bodyBytes)
    throw new AppError(
      'too_large',
      `A webhook that starts a run brings at most ${bodyBytes} bytes, and this one ${body.length}. Send ids, and have the run read.`,
    )
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
  const isSaidToBeJson = /[/+]json\b/.test(type)
  try {
    const parsed = await readJson(body)
    if (parsed.refusal && isSaidToBeJson) throw parsed.refusal
    if (!parsed.refusal) return parsed.value
  } catch (error) {
    if (!(error instanceof AppError) || isSaidToBeJson) throw error
  }
  return body.toString('utf8').replaceAll('\u0000', '').toWellFormed()
}

function openSecret({ services, tenantId }: TxContext, sealedKey: Buffer, { sealedSecret, triggerId }: WebhookTrigger): string {
  if (sealedSecret === null) throw forged()
  return services.secrets.unsealText({ tenantId, sealedKey }, webhookSecretName(triggerId), sealedSecret)
}

/** Whose addresses these are. */
type WebhookOwner = 'workflow' | 'actionPack'

const resumes: Readonly<Record<WebhookOwner, string>> = { workflow: 'toggle_workflow', actionPack: 'toggle_action_pack_install' }

/** The trigger of the address, where the delivery is its sender's. Throws 401, 404, 409. */
async function admit(context: TxContext, triggerKey: string, owner: WebhookOwner, raw: RawRequest) {
  const { tx, tenantId, stamp } = context
  const trigger = mustExist(await findWebhookTrigger(tx, tenantId, triggerKey), noTrigger)
  const found = mustExist(await findFlowVersion(context, trigger.definitionId, trigger.version), noTrigger)
  const version = mustExist((found.pack === undefined) === (owner === 'workflow') ? found : undefined, noTrigger)
  const said = mustExist(
    version.triggers?.find((one) => one['triggerId'] === trigger.triggerId),
    noTrigger,
  )
  const secret = openSecret(context, mustExist(await findTenantKey(tx, tenantId), 'tenant'), trigger)
  if (!isSigned(said['config'], raw, secret, Date.parse(stamp))) throw forged()
  if (!trigger.isLive) throw new AppError('conflict', `The trigger is switched off. ${resumes[owner]} resumes it.`)
  return { trigger, version, said }
}

/** Receives one delivery: 202 with the run's id, 200 for a replay and for a result that came in time. Throws 401, 404, 409, 413. */
export async function receiveWebhook<T>(
  context: StagedContext,
  triggerKey: string,
  owner: WebhookOwner,
  show: (told: Received, hadFailures: boolean) => T,
): Promise<Answer<T>> {
  const { services, raw, inTransaction } = context
  const tenantId = mustExist(await services.databases.lookUp((tx) => findTenantOfTrigger(tx, triggerKey), 'webhooks'), noTrigger)
  if (!raw) throw new AppError('invalid_input', 'The sender sends its own body here; there is none.')
  const { trigger } = await inTransaction((opened) => admit(opened, triggerKey, owner, raw), { tenantId, readOnly: true })
  const user = await findActingUser(services.databases, { tenantId, tenantUserId: trigger.actsAs })
  if (user?.isSuspended) throw new AppError('tenant_suspended', 'The tenant is suspended.')
  if (!user) throw new AppError('conflict', 'The user of the workflow is locked or gone. publish_workflow makes another.')
  const body = await readBody(raw)
  const taken = await inTransaction(
    async (opened) => {
      const admitted = await admit(opened, triggerKey, owner, raw)
      const asUser: TxContext = { ...opened, actor: { ...user.actor, roleFlag: trigger.roleFlag }, audit: () => {} }
      return { ...(await take(opened, asUser, admitted, raw, body)), isAwaited: valueAt(admitted.said['config'], 'respond') === 'result' }
    },
    { tenantId },
  )
  context.audit({ workflowInstanceId: taken.workflowInstanceId })
  const { workflowInstanceId, isReplay, isAwaited } = taken
  if (workflowInstanceId === null) return show({ workflowInstanceId, state: null }, false)
  const deadline = performance.now() + (isAwaited && !isReplay ? resultMs : 0)
  const { hadFailures, ...found } = await resultOf(context, tenantId, workflowInstanceId, deadline)
  const isDone = isReplay || (isAwaited && found.result !== undefined)
  const told: Received = isAwaited ? found : { workflowInstanceId, state: found.state }
  return isDone
    ? show(told, hadFailures)
    : bytesAnswer({ body: JSON.stringify(show(told, hadFailures)), mimeType: 'application/json', status: 202 })
}

type Admitted = Awaited<ReturnType<typeof admit>>

async function take(
  context: TxContext,
  asUser: TxContext,
  { trigger, version, said }: Admitted,
  raw: RawRequest,
  body: unknown,
): Promise<{ readonly workflowInstanceId: number | null; readonly isReplay: boolean }> {
  const { tx, tenantId, stamp } = context
  const { triggerId } = trigger
  const named = deliveryName(said['config'], raw.headers)
  const name = named === undefined ? undefined : createHash('sha256').update(named).digest()
  if (name && !(await takeDelivery(tx, tenantId, triggerId, name, stamp)))
    return { workflowInstanceId: await findRunOf(tx, tenantId, triggerId, name), isReplay: true }
  const payload = { headers: headersShown(said['config'], raw.headers), body }
  const wanted = await fulfilling(asUser, { frame: undefined, filter: said['filter'], by: null }, [{ payload }])
  const starts = wanted.map((one) => ({ input: {}, trigger: one.payload, triggerType: 'webhookReceived', startedBy: null }))
  const [started] = await startRuns(context, { version, lane: 'people' }, starts)
  if (name && started) await noteRunOf(tx, tenantId, triggerId, name, started.runId)
  return { workflowInstanceId: started?.runId ?? null, isReplay: false }
}

/** How far the run is, and what it brought once it has ended; looked at until the deadline. */
async function resultOf(
  { inTransaction, signal }: StagedContext,
  tenantId: number,
  runId: number,
  deadline: number,
): Promise<Received & { readonly hadFailures: boolean }> {
  for (let waitMs = shortestPauseMs; ; waitMs = Math.min(waitMs * 1.5, longestPauseMs)) {
    const run = mustExist(await inTransaction(({ tx }) => findRun(tx, tenantId, runId), { tenantId, readOnly: true }), 'workflow instance')
    const state = run.isPaused && run.finishedDate === null ? ('paused' as const) : run.state
    const told = { workflowInstanceId: runId, state, hadFailures: run.hadFailures }
    if (run.finishedDate !== null) {
      const error = run.error ? { error: { code: run.error.code, message: run.error.message } } : {}
      // A result is JSON that a step ended with.
      return { ...told, result: (run.output ?? null) as Received['result'], ...error }
    }
    if (signal.aborted || performance.now() + waitMs > deadline) return told
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
  }
}
