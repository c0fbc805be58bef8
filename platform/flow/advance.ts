/**
 * What a run does next. Pure and total: the Temporal workflow, the trial run of a draft and the tests drive the same logic.
 * Events set marks on a tree of cursors, one a list; `settle` closes what is over, from the leaves up; `release` turns the marks into commands.
 */
import type { Plan, PlanStep } from './plan.types.ts'
import type { Command, Cursor, Joined, LoopCursor, Outcome, RunEvent, RunState } from './run.types.ts'

type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T
type Steps = readonly PlanStep[]
type Place = { readonly steps: Steps; readonly iteration: readonly number[] }

/** How often a list may go back to an earlier step without waiting. */
export const maxWaysBack = 1_000
/** How many steps a run may begin in all. */
export const maxBegun = 250_000

interface Turn {
  readonly state: Draft<RunState>
  readonly commands: Command[]
}

export function beginRun(plan: Plan): { state: RunState; commands: Command[] } {
  const state: RunState = { root: cursorOf(plan.steps), begun: 0, isPaused: false, isCompensating: false, isFinished: false }
  return advance(plan, state, { kind: 'begun' })
}

/** The state after an event, and what is to be carried out. An event that nothing waits for changes nothing. */
export function advance(plan: Plan, before: RunState, event: RunEvent): { state: RunState; commands: Command[] } {
  // RunState is JSON, and the copy is this function's own. Workflows have no structuredClone.
  const turn: Turn = { state: JSON.parse(JSON.stringify(before)) as Draft<RunState>, commands: [] }
  const top: Place = { steps: plan.steps, iteration: [] }
  take(turn, top, event)
  settle(turn, turn.state.root, top)
  close(turn, top)
  release(turn, turn.state.root, top)
  // What is to be released may be one step too many.
  close(turn, top)
  return turn
}

/** When the next timer ends; undefined where nobody waits for one. */
export function nextWake(state: RunState): number | undefined {
  const times = [...cursorsOf(state.root)].flatMap((cursor) =>
    cursor.phase === 'waiting' && !cursor.due && cursor.untilMs !== undefined ? [cursor.untilMs] : [],
  )
  return times.length > 0 ? Math.min(...times) : undefined
}

function* cursorsOf(cursor: Cursor): Generator<Cursor> {
  yield cursor
  for (const child of childrenOf(cursor)) yield* cursorsOf(child)
}

function childrenOf({ lanes, loop }: Cursor): readonly Cursor[] {
  return [...(lanes ?? []), ...(loop?.running ?? [])].map(({ cursor }) => cursor)
}

const draftChildrenOf = (cursor: Draft<Cursor>) => childrenOf(cursor) as Draft<Cursor>[]

/** A list before its first step; one without steps is over. */
function cursorOf(steps: Steps): Cursor {
  const first = steps[0]
  return first ? { at: first.name, phase: 'ready', due: 'begin', ways: 0 } : { at: 'end', phase: 'ended', ways: 0 }
}

function stepAt({ steps }: Place, { at }: Cursor): PlanStep | undefined {
  return steps.find(({ name }) => name === at)
}

/** The lists below a cursor, each with its place. */
function below(cursor: Draft<Cursor>, place: Place): { child: Draft<Cursor>; at: Place }[] {
  const step = stepAt(place, cursor)
  const { iteration } = place
  const lanes = (cursor.lanes ?? []).map(({ lane, cursor: child }) => {
    const steps = step?.lanes?.find(({ name }) => name === lane)?.steps ?? []
    return { child, at: { steps, iteration } }
  })
  const running = (cursor.loop?.running ?? []).map(({ index, cursor: child }) => {
    return { child, at: { steps: step?.body ?? [], iteration: [...iteration, index] } }
  })
  return [...lanes, ...running]
}

function take(turn: Turn, top: Place, event: RunEvent): void {
  const { state } = turn
  if (event.kind === 'retried') {
    if (!state.isFinished || state.ending?.state !== 'failed' || state.ending.because === 'endStep') return
    state.isFinished = false
    delete state.ending
    // Whoever retries wants it to go on, and nobody can resume what had ended.
    state.isPaused = false
    revive(state.root)
    return
  }
  if (state.isFinished) return
  switch (event.kind) {
    case 'begun':
      return
    case 'ended':
      return visit(state.root, top, (cursor, place) => {
        if (cursor.no === event.no && cursor.phase === 'performing') outcome(turn, cursor, place, event.outcome)
      })
    case 'poked':
      return visit(state.root, top, (cursor) => {
        if (cursor.no !== event.no) return
        if (cursor.phase === 'waiting') cursor.due = 'resume'
        else if (cursor.phase === 'performing') cursor.isPoked = true
      })
    case 'woke':
      return visit(state.root, top, (cursor) => {
        if (cursor.phase !== 'waiting' || cursor.untilMs === undefined || cursor.untilMs > event.atMs) return
        cursor.due ??= 'wake'
        delete cursor.untilMs
      })
    case 'paused':
      state.isPaused = true
      return
    case 'resumed':
      state.isPaused = false
      return
    case 'cancelled':
      state.ending ??= { state: 'cancelled', because: 'cancelled' }
      return
    case 'expired':
      state.ending ??= { state: 'failed', because: 'expired' }
      return
    case 'compensated':
      if (!state.isCompensating) return
      state.isCompensating = false
      if (event.hasMore) compensate(turn)
      else finish(turn)
  }
}

function visit(cursor: Draft<Cursor>, place: Place, act: (cursor: Draft<Cursor>, place: Place) => void): void {
  // What an act takes away is not visited; what it adds is new and has nothing to be told.
  for (const { child, at } of below(cursor, place)) visit(child, at, act)
  act(cursor, place)
}

/** What a try told of the step that a cursor is at. */
function outcome(turn: Turn, cursor: Draft<Cursor>, place: Place, told: Outcome): void {
  const step = stepAt(place, cursor)
  const isPoked = cursor.isPoked === true
  delete cursor.isPoked
  switch (told.kind) {
    case 'done':
    case 'skipped':
      if (childrenOf(cursor).some(({ hadFailure }) => hadFailure) || (cursor.loop?.failed ?? 0) > 0) cursor.hadFailure = true
      return goOn(turn, cursor, place, told.kind === 'done' ? (told.goTo ?? step?.next) : step?.next)
    case 'failed':
      // A list that is to stop stops with the step that failed, so that a retry carries it out again.
      if (cursor.isStopping || step?.onError === undefined) cursor.phase = 'failed'
      else {
        cursor.hadFailure ||= step.onError === 'continue'
        goOn(turn, cursor, place, step.onError === 'continue' ? step.next : step.onError.goTo)
      }
      return
    case 'waiting':
      cursor.phase = 'waiting'
      cursor.ways = 0
      if (told.untilMs === undefined) delete cursor.untilMs
      else cursor.untilMs = told.untilMs
      if (isPoked) cursor.due = 'resume'
      if (cursor.isStopping) stop(turn, cursor, place)
      return
    case 'lanes':
      cursor.phase = 'inside'
      cursor.lanes = (step?.lanes ?? []).map(({ name, steps }) => ({ lane: name, cursor: cursorOf(steps) as Draft<Cursor> }))
      if (cursor.isStopping) stop(turn, cursor, place)
      return
    case 'items':
      cursor.phase = 'inside'
      cursor.loop = { count: told.count, next: 0, failed: 0, running: [] }
      if (cursor.isStopping) stop(turn, cursor, place)
      return
    case 'endRun':
      // Of a lane that was stopped meanwhile, it ends nothing.
      if (!cursor.isStopping) turn.state.ending ??= { state: told.state, because: 'endStep' }
      cursor.phase = 'ended'
  }
}

/** Leads a list to its next step, or to its end. */
function goOn(turn: Turn, cursor: Draft<Cursor>, { steps }: Place, target: string | undefined): void {
  const from = steps.findIndex(({ name }) => name === cursor.at)
  const to = target ?? steps[from + 1]?.name ?? 'end'
  const isStopping = cursor.isStopping === true
  for (const key of ['no', 'retryOf', 'untilMs', 'due', 'lanes', 'loop', 'isStopping'] as const) delete cursor[key]
  if (to === 'end') {
    cursor.phase = 'ended'
    return
  }
  const index = steps.findIndex(({ name }) => name === to)
  cursor.phase = isStopping ? 'stopped' : 'ready'
  cursor.at = index < 0 ? cursor.at : to
  if (!isStopping) cursor.due = 'begin'
  if (index < 0) turn.state.ending ??= { state: 'failed', because: 'noSuchStep' }
  if (index <= from && ++cursor.ways > maxWaysBack) turn.state.ending ??= { state: 'failed', because: 'neverWaits' }
}

const isOver = ({ phase }: Cursor) => phase === 'ended' || phase === 'failed' || phase === 'stopped'

/** Nothing of it begins any more: what waits is withdrawn, and a try on its way is finished. */
function stop(turn: Turn, cursor: Draft<Cursor>, place: Place): void {
  switch (cursor.phase) {
    case 'ready':
      cursor.phase = 'stopped'
      delete cursor.due
      return
    case 'waiting':
      if (cursor.no !== undefined) turn.commands.push({ kind: 'withdraw', no: cursor.no, path: pathOf(cursor, place) })
      cursor.phase = 'stopped'
      for (const key of ['due', 'untilMs', 'isStopping'] as const) delete cursor[key]
      return
    case 'performing':
      cursor.isStopping = true
      return
    case 'inside':
      cursor.isStopping = true
      delete cursor.due
      for (const { child, at } of below(cursor, place)) stop(turn, child, at)
      settle(turn, cursor, place)
      return
    case 'ended':
    case 'failed':
    case 'stopped':
  }
}

/** A list that failed or was stopped begins the step that it is at anew. */
function revive(cursor: Draft<Cursor>): void {
  delete cursor.isStopping
  cursor.ways = 0
  if (cursor.phase !== 'failed' && cursor.phase !== 'stopped') return
  if (cursor.lanes || cursor.loop) {
    cursor.phase = 'inside'
    for (const child of draftChildrenOf(cursor)) revive(child)
    return
  }
  if (cursor.phase === 'failed' && cursor.no !== undefined) cursor.retryOf = cursor.no
  delete cursor.no
  cursor.phase = 'ready'
  cursor.due = 'begin'
}

/** Closes the lanes and iterations that are over, from the leaves up, and begins the iterations for which there is room. */
function settle(turn: Turn, cursor: Draft<Cursor>, place: Place): void {
  if (cursor.phase !== 'inside') return
  for (const { child, at } of below(cursor, place)) settle(turn, child, at)
  const step = stepAt(place, cursor)
  const children = draftChildrenOf(cursor)
  const stopAll = () => {
    for (const { child, at } of below(cursor, place)) stop(turn, child, at)
  }
  if (cursor.loop) {
    if (settleLoop(cursor.loop, step, cursor.isStopping === true)) stopAll()
  } else if (step?.join === 'any' ? children.some(({ phase }) => phase === 'ended') : children.some(({ phase }) => phase === 'failed'))
    stopAll()
  if (!draftChildrenOf(cursor).every(isOver)) return
  if (cursor.isStopping) {
    delete cursor.isStopping
    cursor.phase = 'stopped'
  } else cursor.due ??= 'join'
}

/** Takes out iterations that ended and begins others. True where one failed, so that the others are to stop. */
function settleLoop(loop: Draft<LoopCursor>, step: PlanStep | undefined, isStopping: boolean): boolean {
  loop.failed += loop.running.filter(({ cursor }) => cursor.phase === 'ended' && cursor.hadFailure).length
  loop.running = loop.running.filter(({ cursor }) => cursor.phase !== 'ended')
  const hasFailed = loop.running.some(({ cursor }) => cursor.phase === 'failed')
  if (hasFailed || isStopping) return hasFailed
  const room = (step?.maxParallel ?? 1) - loop.running.length
  for (let added = 0; added < room && loop.next < loop.count; added++)
    loop.running.push({ index: loop.next++, cursor: cursorOf(step?.body ?? []) as Draft<Cursor> })
  // Bodies without steps are over as they begin.
  return loop.running.some(({ cursor }) => cursor.phase === 'ended') ? settleLoop(loop, step, isStopping) : false
}

/** Ends the run where its list is over or something ends it. */
function close(turn: Turn, top: Place): void {
  const { state } = turn
  if (state.isFinished || state.isCompensating) return
  const { root } = state
  if (root.phase === 'ended') state.ending ??= { state: 'completed', because: 'done' }
  if (root.phase === 'failed') state.ending ??= { state: 'failed', because: 'step' }
  if (!state.ending) return
  stop(turn, root, top)
  settle(turn, root, top)
  if (!isOver(root)) return
  if (state.ending.state === 'cancelled') compensate(turn)
  else finish(turn)
}

function compensate({ state, commands }: Turn): void {
  state.isCompensating = true
  commands.push({ kind: 'compensate' })
}

function finish({ state, commands }: Turn): void {
  if (!state.ending) return
  state.isFinished = true
  commands.push({ kind: 'finish', ...state.ending, hadFailures: state.root.hadFailure === true })
}

/** Turns what is due into commands, unless the run is paused. */
function release(turn: Turn, cursor: Draft<Cursor>, place: Place): void {
  const { state, commands } = turn
  if (state.isPaused || state.ending) return
  for (const { child, at } of below(cursor, place)) release(turn, child, at)
  const { due } = cursor
  if (!due) return
  if (due === 'begin') {
    if (state.begun >= maxBegun) {
      state.ending = { state: 'failed', because: 'tooManySteps' }
      return
    }
    cursor.no = ++state.begun
  }
  const { no, retryOf } = cursor
  if (no === undefined) return
  const joined = due === 'join' ? joinedOf(cursor, stepAt(place, cursor)) : undefined
  commands.push({
    kind: 'perform',
    no,
    path: pathOf(cursor, place),
    phase: due,
    ...(joined ? { joined } : {}),
    ...(due === 'begin' && retryOf !== undefined ? { retryOf } : {}),
  })
  cursor.phase = 'performing'
  delete cursor.due
  delete cursor.retryOf
}

function joinedOf({ lanes, loop }: Cursor, step: PlanStep | undefined): Joined {
  if (loop) {
    const failed = loop.running.filter(({ cursor }) => cursor.phase === 'failed').length
    return { isFailed: failed > 0, begun: loop.next, failed: loop.failed + failed }
  }
  const ends = (lanes ?? []).map(({ lane, cursor }) => [lane, endOf(cursor)] as const)
  const isFailed =
    step?.join === 'any' ? ends.every(([, end]) => end !== 'ended') && ends.length > 0 : ends.some(([, end]) => end === 'failed')
  return { isFailed, lanes: Object.fromEntries(ends) }
}

function endOf({ phase }: Cursor): 'ended' | 'failed' | 'stopped' {
  return phase === 'ended' || phase === 'failed' ? phase : 'stopped'
}

function pathOf({ at }: Cursor, { iteration }: Place): { step: string; iteration: readonly number[] } {
  return { step: at, iteration }
}
