/** How each type of step is tried: what reads does, what would change or send something says what it would do, and people answer as the trial says. */
import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { printInstant } from '#platform/tokens/zoned.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { rolesOf } from '#platform/roles.ts'

import { understood } from '#tools/messaging/service.ts'

import { findAssignment } from '../runs/assigning.ts'
import { callOf } from '../runs/calls.ts'
import { branchOf } from '../runs/carrying.ts'
import { usersOfAssignment } from '../runs/ending.ts'
import { readItems } from '../runs/items.ts'
import { resultsOfLanes } from '../runs/lanes.rules.ts'
import type { Said } from '../runs/runs.types.ts'
import { actionsOf, isObject, listIn, textIn } from '../runs/steps.rules.ts'
import { endOfTimeout, endOfWait } from '../runs/waits.rules.ts'
import type { TrialEnd, TrialStep } from './trial.types.ts'

type Try = (step: TrialStep) => Promise<TrialEnd> | TrialEnd

/** As many receivers are named as one reads. */
const shownReceivers = 20

async function assigneeOf({ services, who, trial, scope, found }: TrialStep): Promise<unknown> {
  const said = await scope.resolve(found.said['assignee'] ?? null)
  const asking = {
    services,
    who,
    entity: trial.version.entity,
    eiRecordId: trial.record?.eiRecordId ?? null,
    scope: () => Promise.resolve(scope),
  }
  const { user, role, users } = await findAssignment(asking, said)
  if (user !== null) return { tenantUserId: user }
  return users === null ? { role: rolesOf(role ?? 0)[0] } : { tenantUserIds: users.slice(0, shownReceivers) }
}

/** A task, done as the answer says. */
const task: Try = async (step) => {
  const { found, answer, scope, trial, who, nowMs, tell } = step
  const actions = actionsOf(found)
  const names = actions.map(({ internalName }) => internalName)
  const assignee = await assigneeOf(step)
  if (isObject(assignee) && Array.isArray(assignee['tenantUserIds']) && assignee['tenantUserIds'].length === 0)
    tell('warning', 'Nobody is found whom it is for: it would wait to be assigned.')
  const wanted = answer?.action ?? (answer && names.length === 1 ? names[0] : undefined)
  const action = actions.find(({ internalName }) => internalName.toLowerCase() === wanted?.toLowerCase())
  if (!action) {
    const near = wanted === undefined ? undefined : nearest(wanted, names)
    const said =
      wanted === undefined
        ? 'It waits for somebody'
        : `It has no action ${quoted(wanted)}${near === undefined ? '' : `; did you mean ${near}?`}`
    tell('warning', `${said}. Say in answers which action they take: ${names.join(', ')}.`)
    return { kind: 'waiting', shown: { assignee, actions: names } }
  }
  if (action.requiresComment && (answer?.text ?? '').trim() === '') {
    tell('warning', `The action ${action.internalName} requires a comment. Say it in answers, as text.`)
    return { kind: 'waiting', shown: { assignee, actions: names } }
  }
  const values = answer?.values ?? {}
  const of = { action: action.internalName, comment: answer?.text ?? null, by: who.tenantUserId, at: printInstant(nowMs) }
  const result = found.stepType === 'form' ? { ...of, eiRecordId: trial.record?.eiRecordId ?? null, values } : of
  const set = await scope.resolve(action.set, { $answer: result })
  return { kind: 'done', result, goTo: action.goTo, set: isObject(set) ? set : {}, shown: { ...result, assignee } }
}

/** Everybody whom a message would go to. */
async function receiversOf(step: TrialStep): Promise<unknown> {
  const { services, who, trial, scope, config } = step
  const { to } = config
  if (isObject(to) && ['tenantUserId', 'phone', 'email'].some((key) => to[key] !== undefined)) return [to]
  const asking = {
    services,
    who,
    entity: trial.version.entity,
    eiRecordId: trial.record?.eiRecordId ?? null,
    scope: () => Promise.resolve(scope),
  }
  const users = await usersOfAssignment(services, who.tenantId, await findAssignment(asking, to))
  if (users.length === 0) throw new AppError('unprocessable', 'Nobody is found to send this to.')
  return users.slice(0, shownReceivers).map((tenantUserId) => ({ tenantUserId }))
}

const notify: Try = async (step) => {
  const { to: _to, ...message } = step.config
  return {
    kind: 'done',
    result: step.answer?.values ?? { messageId: null },
    shown: { would: { send: message, to: await receiversOf(step) } },
  }
}

const ask: Try = async (step) => {
  const { config, answer, who, nowMs, tell } = step
  const { to: _to, ...message } = config
  const would = { would: { ask: message, to: await receiversOf(step) } }
  const choices = listIn(config['choices'])
    .filter(isObject)
    .map(({ key, label }) => ({ key: String(key), label: String(label) }))
  const said = answer?.choice ?? answer?.text
  const choice = said === undefined || choices.length === 0 ? null : (understood(said, choices) ?? null)
  if (said === undefined || (choices.length > 0 && choice === null)) {
    const wanted = choices.length > 0 ? `choice, one of ${choices.map(({ key }) => key).join(', ')}` : 'text'
    tell(
      'warning',
      `${said === undefined ? 'It waits for a reply' : `${quoted(said)} is not understood`}. Say in answers what it is: ${wanted}.`,
    )
    return { kind: 'waiting', shown: would }
  }
  const result = { text: answer?.text ?? '', choice, assetKeys: [], by: who.tenantUserId, at: printInstant(nowMs) }
  return { kind: 'done', result, shown: { ...would, ...result } }
}

const wait: Try = ({ config, nowMs, scope }) => {
  const untilMs = endOfWait(config, nowMs, scope.timeZone)
  return { kind: 'done', result: { at: printInstant(untilMs) }, nowMs: Math.max(nowMs, untilMs) }
}

const waitForEvent: Try = ({ config, answer, nowMs, scope, tell }) => {
  if (answer) return { kind: 'done', result: { payload: answer.values ?? null } }
  const untilMs = endOfTimeout(config, nowMs, scope.timeZone)
  if (untilMs !== undefined) return { kind: 'done', result: { payload: null }, goTo: textIn(config['onTimeout']), nowMs: untilMs }
  tell('warning', 'It waits for an event. Say in answers, as values, what that brings.')
  return { kind: 'waiting', shown: { event: config['event'] ?? config['trigger'] } }
}

/** What acts outside, or takes long, is not done: the answer says what it would have brought. */
const outside: Try = ({ found, config, answer, tell }) => {
  if (!answer?.values) tell('warning', 'It is not done in a trial, and leaves nothing. Say in answers, as values, what it brings.')
  return { kind: 'done', result: answer?.values ?? null, shown: { would: { [found.stepType]: config }, ...answer?.values } }
}

/** The save is held against everything that a save asks, and not done. */
async function trySave({ services, who, signal, config, answer }: TrialStep, operation: string, input: Said): Promise<TrialEnd> {
  const { record } = input
  const checked = await runAs(services, who, 'validate_instance', input, { signal })
  const [first] = isObject(checked) ? listIn(checked['issues']).filter((one) => isObject(one) && one['severity'] === 'error') : []
  if (isObject(first)) throw new AppError('invalid_input', `It would be refused: ${String(first['path'])} ${String(first['message'])}`)
  const result = answer?.values ?? { eiRecordId: config['eiRecordId'] ?? null, outcome: record === undefined ? null : 'updated' }
  return { kind: 'done', result, shown: { would: { [operation]: input } } }
}

/** About no record: one that an earlier step would have made has no id here. */
async function unmade(step: TrialStep): Promise<TrialEnd> {
  const { found, config, answer, tell } = step
  tell('warning', 'eiRecordId came to no record, and the run would fail. Where an earlier step makes it, say in answers what that brings.')
  const { eiRecordId: _none, ...rest } = config
  const call = found.stepType === 'saveRecord' ? callOf(found.stepType, rest) : undefined
  if (call) return trySave(step, call.operation, call.input)
  return { kind: 'done', result: answer?.values ?? { eiRecordId: null }, shown: { would: { [found.stepType]: config } } }
}

/** A step that is one call: a read is made, a write is told. */
const called: Try = async (step) => {
  const { services, who, signal, found, config, answer } = step
  if (config['eiRecordId'] === null && found.stepType !== 'getRecord') return unmade(step)
  const call = callOf(found.stepType, config)
  if (!call) throw new Error(`A step of the type ${found.stepType} calls nothing`)
  const { operation, input } = call
  const known = services.pipeline.registry.byName.get(operation)
  if (found.stepType === 'saveRecord') return trySave(step, operation, input)
  // An operation that is not there, or that no run may call, says so as it will then.
  if (known && known.effect !== 'read' && known.issuesSecret === undefined) {
    const result = answer?.values ?? (found.stepType === 'deleteRecord' ? { eiRecordId: config['eiRecordId'] ?? null } : null)
    return { kind: 'done', result, shown: { would: { [operation]: input } } }
  }
  return { kind: 'done', ...call.doneOf(await runAs(services, who, operation, input, { signal, shownIn: call.shownIn })) }
}

const forEach: Try = async ({ services, who, signal, trial, config, joined, room, iterations, tell }) => {
  if (!joined) {
    const items = await readItems({ services, who, eiRecordId: trial.record?.eiRecordId ?? null, signal }, config, room + 1)
    if (items.length > room) tell('warning', `A trial goes over ${room} items, the run over more.`)
    return { kind: 'items', items: items.slice(0, room) }
  }
  const result = { items: iterations(), failed: joined.failed ?? 0, errors: [] }
  return joined.isFailed ? { kind: 'failed', message: 'An iteration failed.', result } : { kind: 'done', result }
}

const decide: Try = async ({ found, scope }) => {
  const goTo = (await branchOf(scope, found)) ?? found.next
  return { kind: 'done', result: { goTo }, goTo }
}

const parallel: Try = async ({ found, joined, scope }) => {
  if (!joined) return { kind: 'lanes' }
  const result = resultsOfLanes(found.config['lanes'], await scope.resolve('[[$steps]]'))
  return joined.isFailed ? { kind: 'failed', message: 'A lane failed.', result } : { kind: 'done', result }
}

/** By the name of the type; a type that stands here is tried, and a test holds them against the registry. */
export const tries: ReadonlyMap<string, Try> = new Map<string, Try>(
  Object.entries({
    form: task,
    approval: task,
    ask,
    notify,
    wait,
    waitForEvent,
    decide,
    parallel,
    forEach,
    getRecord: called,
    saveRecord: called,
    deleteRecord: called,
    runReport: called,
    callOperation: called,
    callHttp: outside,
    recognise: outside,
    translate: outside,
    runWorkflow: outside,
    set: ({ config }: TrialStep) => ({ kind: 'done' as const, set: isObject(config['values']) ? config['values'] : {} }),
    end: ({ config }: TrialStep) => ({
      kind: 'endRun' as const,
      state: config['state'] === 'failed' ? ('failed' as const) : ('completed' as const),
      message: textIn(config['message']),
      output: config['output'],
    }),
  }),
)
