/** Tries a definition out: the logic of runs carries it, nothing changes and nothing waits, and what is read is what the caller may read. */
import { performance } from 'node:perf_hooks'

import { advance, beginRun } from '#platform/flow/advance.ts'
import type { Command, Outcome, RunState } from '#platform/flow/run.types.ts'
import { AppError } from '#platform/errors.ts'
import type { StagedContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'

import { branchOf } from '../runs/carrying.ts'
import type { RunError, RunRow } from '../runs/runs.types.ts'
import { actingFor, openScope, readRoots, type Roots, type Scope } from '../runs/scope.ts'
import { type FoundStep, isObject, listIn, mustFindStep, ownConfig, stepsIn } from '../runs/steps.rules.ts'
import { type Memory, newMemory } from './memory.ts'
import { tries } from './trial-steps.ts'
import type { TraceLine, Trial, TrialEnd, Tried } from './trial.types.ts'

const mostSteps = 500
const mostMs = 20_000
/** As many items as a loop goes over. */
const mostItems = 20
/** Of the trace, beside its lines. */
const mostOutputBytes = 128 * 1024
const mostIssues = 100

type Perform = Extract<Command, { kind: 'perform' }>

/** The run that it would be. */
function runOf({ version, record, input, trigger, nowMs }: Trial, context: StagedContext): RunRow {
  const at = new Date(nowMs).toISOString()
  const variables = Object.fromEntries((version.variables ?? []).map(({ name, value = null }) => [name, value]))
  return {
    runId: 0,
    workflowId: version.workflowId,
    version: version.version,
    internalName: version.internalName,
    state: 'running',
    isPaused: false,
    isCancelling: false,
    pack: version.pack?.name ?? null,
    packVersion: version.pack?.version ?? null,
    triggerType: null,
    hadFailures: false,
    entityId: record?.entityId ?? null,
    eiRecordId: record?.eiRecordId ?? null,
    actsAs: context.actor.tenantUserId,
    // What the run may do, and of that what the caller may.
    roleFlag: version.roleFlag & context.actor.roleFlag,
    depth: 0,
    startedBy: context.actor.tenantUserId,
    causedBy: null,
    input,
    trigger: trigger ?? null,
    variables,
    output: null,
    error: null,
    epoch: 1,
    flow: null,
    expiresAt: at,
    createdDate: at,
    startedDate: at,
    finishedDate: null,
    heldFor: null,
  }
}

interface Trying {
  readonly context: StagedContext
  readonly trial: Trial
  readonly run: RunRow
  readonly known: Roots
  readonly memory: Memory
  readonly signal: AbortSignal
  readonly trace: TraceLine[]
  readonly issues: Finding[]
  nowMs: number
  output: unknown
  leftBytes: number
}

function note(trying: Trying, path: string, message: string, severity: 'error' | 'warning' = 'warning'): void {
  const { issues } = trying
  if (issues.length < mostIssues && !issues.some((one) => one.path === path && one.message === message))
    issues.push(finding(path, message, { severity }))
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

function tell(trying: Trying, { path }: Perform, found: FoundStep, line: Omit<TraceLine, 'step' | 'stepType' | 'iteration'>): void {
  const { output, ...rest } = line
  const size = output === undefined ? 0 : bytes(output)
  const isShown = output !== undefined && size <= trying.leftBytes
  if (isShown) trying.leftBytes -= size
  else if (output !== undefined) note(trying, '$.trace', `Outputs past ${mostOutputBytes / 1024} KB together are left out.`)
  trying.trace.push({
    step: found.name,
    stepType: found.stepType,
    ...rest,
    ...(path.iteration.length > 0 ? { iteration: [...path.iteration] } : {}),
    ...(isShown ? { output } : {}),
  })
}

function scopeAt({ context, trial, run, known, memory, nowMs }: Trying, { path }: Perform, { loop }: FoundStep): Promise<Scope> {
  const { services, tenantId } = context
  const own = { ...run, variables: memory.variables }
  const of = { tenantId, run: own, version: trial.version, path, loop, at: new Date(nowMs).toISOString() }
  return openScope(services, of, memory.rootsOf(known, loop, path.iteration))
}

async function endOf(trying: Trying, command: Perform, found: FoundStep, scope: Scope): Promise<TrialEnd> {
  const { context, trial, run, memory, signal, nowMs } = trying
  const resolved = await scope.resolve(ownConfig(found))
  const carry = tries.get(found.stepType)
  if (!carry) throw new AppError('unprocessable', `There is no type of step ${quoted(found.stepType)}.`)
  return carry({
    services: context.services,
    who: actingFor(context.tenantId, run),
    signal,
    trial,
    found,
    config: isObject(resolved) ? resolved : {},
    answer: trial.answers[found.name],
    nowMs,
    scope,
    joined: command.phase === 'join' ? (command.joined ?? { isFailed: false }) : undefined,
    room: mostItems,
    iterations: () => memory.iterations(found, command.path.iteration, command.no, command.joined?.begun ?? 0),
    tell: (severity, message) => note(trying, `$.answers.${found.name}`, `${found.name}: ${message}`, severity),
  })
}

/** Where a step leads that is done: the first branch that holds. */
async function leadOf(trying: Trying, command: Perform, found: FoundStep): Promise<string | undefined> {
  if (listIn(found.said['branches']).length === 0) return undefined
  return branchOf(await scopeAt(trying, command, found), found)
}

async function conclude(trying: Trying, command: Perform, found: FoundStep, end: TrialEnd): Promise<Outcome> {
  const { memory } = trying
  const { path, no } = command
  switch (end.kind) {
    case 'waiting':
      tell(trying, command, found, { event: 'waiting', output: end.shown })
      return { kind: 'waiting' }
    case 'lanes':
      return { kind: 'lanes' }
    case 'items':
      memory.setItems(found.name, path.iteration, end.items)
      return { kind: 'items', count: end.items.length }
    case 'failed':
      memory.keep(found, path.iteration, no, end.result)
      throw new AppError('unprocessable', end.message)
    case 'endRun':
      trying.output = end.output ?? null
      tell(trying, command, found, { event: 'done', output: { state: end.state, message: end.message ?? null, output: trying.output } })
      return { kind: 'endRun', state: end.state }
    case 'done': {
      memory.keep(found, path.iteration, no, end.result)
      memory.setVariables(found, end.set ?? {})
      trying.nowMs = end.nowMs ?? trying.nowMs
      const goTo = end.goTo ?? (await leadOf(trying, command, found))
      const output = end.shown ?? (Object.keys(end.set ?? {}).length > 0 && end.result === undefined ? end.set : end.result)
      tell(trying, command, found, { event: 'done', ...(goTo === undefined ? {} : { goTo }), ...(output === undefined ? {} : { output }) })
      return { kind: 'done', ...(goTo === undefined ? {} : { goTo }) }
    }
  }
}

async function carryOut(trying: Trying, command: Perform): Promise<Outcome> {
  const found = mustFindStep(trying.trial.version.steps, command.path.step)
  try {
    const scope = await scopeAt(trying, command, found)
    const { when } = found.said
    if (command.phase === 'begin' && when !== undefined && !(await scope.holds(when))) {
      tell(trying, command, found, { event: 'skipped' })
      return { kind: 'skipped' }
    }
    return await conclude(trying, command, found, await endOf(trying, command, found, scope))
  } catch (error) {
    trying.signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    const told: RunError = { code: error.code, message: error.message, step: found.name }
    tell(trying, command, found, { event: 'failed', error: told })
    return { kind: 'failed' }
  }
}

/** Answers for steps that are not there are a mistake of whoever wrote them. */
function noteUnknown(trying: Trying): void {
  const names = [...stepsIn(trying.trial.version.steps)].map(({ name }) => name)
  for (const name of Object.keys(trying.trial.answers)) {
    if (names.includes(name)) continue
    const suggestion = nearest(name, names)
    trying.issues.push(finding(`$.answers.${name.slice(0, 64)}`, `There is no step ${quoted(name)}.`, { severity: 'warning', suggestion }))
  }
}

/** Carries commands out, one after another, until there are none; false where the trial is over before the run. */
async function drive(trying: Trying): Promise<{ readonly state: RunState; readonly isWhole: boolean }> {
  const { plan } = trying.trial.version
  let { state, commands } = beginRun(plan)
  const left: Command[] = [...commands]
  let carried = 0
  for (let command = left.shift(); command; command = left.shift()) {
    if (command.kind !== 'perform') continue
    if (++carried > mostSteps) {
      note(trying, '$.trace', `The trial ends after ${mostSteps} steps.`)
      return { state, isWhole: false }
    }
    const outcome = await carryOut(trying, command)
    ;({ state, commands } = advance(plan, state, { kind: 'ended', no: command.no, outcome }))
    left.push(...commands)
  }
  return { state, isWhole: true }
}

/** Tries a definition. Nothing of it changes anything; what it reads, the caller may read with the roles of the definition. */
export async function tryOut(context: StagedContext, trial: Trial): Promise<Tried> {
  const { tenantId } = context
  const run = runOf(trial, context)
  const of = { tenantId, run, version: trial.version, path: { step: '', iteration: [] }, loop: undefined, at: run.createdDate }
  const known = await context.inTransaction((inner) => readRoots(inner, of), { readOnly: true })
  const limit = AbortSignal.timeout(mostMs)
  const trying: Trying = {
    context,
    trial,
    run,
    known,
    memory: newMemory(run.variables),
    signal: AbortSignal.any([context.signal, limit]),
    trace: [],
    issues: [],
    nowMs: trial.nowMs,
    output: null,
    leftBytes: mostOutputBytes,
  }
  noteUnknown(trying)
  const began = performance.now()
  let end: { readonly state: RunState; readonly isWhole: boolean } | undefined
  try {
    end = await drive(trying)
  } catch (error) {
    if (!limit.aborted || context.signal.aborted) throw error
    note(trying, '$.trace', `The trial ends after ${Math.round((performance.now() - began) / 1_000)} seconds.`)
  }
  const { trace, issues, memory, output } = trying
  const finished = end?.state.isFinished === true && end.state.ending ? end.state.ending.state : undefined
  const state = finished === undefined ? (end?.isWhole === true ? 'waiting' : 'running') : finished === 'completed' ? 'completed' : 'failed'
  return { state, trace, issues, variables: memory.variables, output }
}
