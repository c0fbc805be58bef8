/** A driver of runs that chooses at random, and notes each breach of what a plan promises. It knows lists, outcomes and orders, not cursors. */
import { advance, beginRun, nextWake } from '#platform/flow/advance.ts'
import type { Plan, PlanStep } from '#platform/flow/plan.types.ts'
import type { Command, Outcome, RunEvent, RunState } from '#platform/flow/run.types.ts'

/** A number from 0 and below the limit. */
export type Choose = (below: number) => number

/** Choices that a seed repeats (mulberry32). */
export function choosingFrom(seed: number): Choose {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

type Perform = Extract<Command, { kind: 'perform' }>
type Finish = Extract<Command, { kind: 'finish' }>
type Kind = 'act' | 'wait' | 'lanes' | 'loop' | 'end'

const kindOf = ({ name }: PlanStep): Kind => name.split('_')[0] as Kind

/** Lists of one to four steps, three deep at most. The kind of a step stands in its name. */
export function planFrom(choose: Choose): Plan {
  let made = 0
  const list = (depth: number): PlanStep[] => {
    const kinds: Kind[] = depth < 3 ? ['act', 'act', 'wait', 'lanes', 'loop', 'end'] : ['act', 'act', 'wait']
    const names = Array.from({ length: 1 + choose(4) }, () => `${kinds[choose(kinds.length)] ?? 'act'}_${++made}`)
    return names.map((name) => {
      const target = () => [...names, 'end'][choose(names.length + 1)] ?? 'end'
      const errors = [undefined, undefined, 'continue' as const, { goTo: target() }]
      const onError = errors[choose(4)]
      const base = { name, ...(choose(4) === 0 ? { next: target() } : {}), ...(onError ? { onError } : {}) }
      switch (kindOf({ name })) {
        case 'lanes': {
          const lanes = Array.from({ length: 1 + choose(3) }, () => ({ name: `lane_${++made}`, steps: list(depth + 1) }))
          return { ...base, lanes, join: choose(2) === 0 ? ('all' as const) : ('any' as const) }
        }
        case 'loop':
          return { ...base, body: list(depth + 1), maxParallel: 1 + choose(3) }
        case 'act':
        case 'wait':
        case 'end':
          return base
      }
    })
  }
  return { steps: list(0) }
}

export interface Run {
  readonly plan: Plan
  readonly state: RunState
  readonly finish: Finish | undefined
  readonly begun: readonly string[]
  readonly isStuck: boolean
  readonly afterEnd: readonly string[]
  readonly strays: readonly string[]
  readonly twice: readonly number[]
  readonly overlaps: readonly number[]
  readonly whilePaused: readonly string[]
  readonly openAtEnd: readonly number[]
  readonly withdrawnTwice: readonly number[]
  readonly crowded: readonly string[]
  readonly outOfTurn: readonly string[]
  readonly tooLate: readonly string[]
  readonly compensations: readonly { readonly onTheirWay: number; readonly isCancelled: boolean }[]
  readonly wrongJoins: readonly string[]
  readonly joined: number
}

interface Home {
  readonly steps: readonly PlanStep[]
  readonly step: PlanStep
  /** The container whose list it is. */
  readonly parent: string | undefined
  readonly lane: string | undefined
}

function homesOf(steps: readonly PlanStep[], parent?: string, lane?: string): [string, Home][] {
  return steps.flatMap((step) => [
    [step.name, { steps, step, parent, lane }],
    ...(step.lanes ?? []).flatMap((one) => homesOf(one.steps, step.name, one.name)),
    ...homesOf(step.body ?? [], step.name),
  ])
}

const moves = 120

/** Drives a run by random outcomes, pokes, timers, pauses and ends, then to its end or to where it only waits. */
export function driveAtRandom(plan: Plan, choose: Choose): Run {
  const homes = new Map(homesOf(plan.steps))
  const homeOf = (name: string): Home => {
    const home = homes.get(name)
    if (!home) throw new Error(`${name} is in no list`)
    return home
  }
  const onTheirWay = new Map<number, Perform>()
  const waiting = new Map<number, Perform>()
  const firstOf = new Map<number, Perform>()
  // Of each list: where it may go on. A list is told by its container's place and lane, or iteration.
  const expected = new Map<string, string>()
  const laneEnds = new Map<string, 'ended' | 'failed'>()
  const begunIterations = new Map<string, number>()
  const openIterations = new Map<string, Set<number>>()
  const told = { begun: [] as string[], afterEnd: [] as string[], strays: [] as string[], twice: [] as number[], overlaps: [] as number[] }
  const more = {
    whilePaused: [] as string[],
    withdrawnTwice: [] as number[],
    crowded: [] as string[],
    outOfTurn: [] as string[],
    tooLate: [] as string[],
  }
  const compensations: { onTheirWay: number; isCancelled: boolean }[] = []
  const wrongJoins: string[] = []
  let joined = 0
  let left = choose(3)
  let asksCompensation = false
  let isPaused = false
  let isEnding = false
  let isCancelled = false
  let finish: Finish | undefined
  let now = 0

  const placeOf = (name: string, iteration: readonly number[]) => `${name}@${iteration.join('.')}`
  const listOf = ({ path: { step, iteration } }: Perform) => {
    const { parent, lane } = homeOf(step)
    return parent === undefined ? 'top' : `${placeOf(parent, iteration)}/${lane ?? 'body'}`
  }
  const loopOf = ({ path: { step, iteration } }: Perform) => {
    const { parent, lane } = homeOf(step)
    return parent !== undefined && lane === undefined ? placeOf(parent, iteration.slice(0, -1)) : undefined
  }

  /** What a container holds begins with its first steps whenever the container does. */
  const forgetBelow = ({ step, iteration }: Perform['path']) => {
    const inside = new Set(
      [step, ...homesOf(homeOf(step).step.body ?? []), ...(homeOf(step).step.lanes ?? []).flatMap(({ steps }) => homesOf(steps))].map(
        (one) => (typeof one === 'string' ? one : one[0]),
      ),
    )
    const prefix = iteration.join('.')
    for (const map of [expected, laneEnds, begunIterations, openIterations])
      for (const key of map.keys()) {
        const [name = '', at = ''] = key.split('/')[0]?.split('@') ?? []
        if (inside.has(name) && (prefix === '' || at === prefix || at.startsWith(`${prefix}.`))) map.delete(key)
      }
  }

  /** Whether another lane of its container has decided how the lanes are joined. */
  const isDecided = ({ path: { step, iteration } }: Perform) => {
    const { parent } = homeOf(step)
    const container = parent === undefined ? undefined : homeOf(parent).step
    const decisive = container?.join === 'any' ? 'ended' : 'failed'
    return container?.lanes?.some(({ name }) => laneEnds.get(`${placeOf(container.name, iteration)}/${name}`) === decisive) === true
  }

  const noteBegin = (command: Perform) => {
    const { no, path } = command
    forgetBelow(path)
    told.begun.push(path.step)
    if (firstOf.has(no)) told.twice.push(no)
    firstOf.set(no, command)
    if (isEnding) told.afterEnd.push(path.step)
    const list = listOf(command)
    const { steps } = homeOf(path.step)
    if ((expected.get(list) ?? steps[0]?.name) !== path.step) told.strays.push(`${path.step} in ${list}`)
    expected.set(list, 'nothing: its step is on its way')
    if (isDecided(command)) more.tooLate.push(path.step)
    const loop = loopOf(command)
    const index = path.iteration.at(-1)
    if (loop === undefined || index === undefined) return
    const open = openIterations.get(loop) ?? new Set()
    openIterations.set(loop, open)
    if (!open.has(index)) {
      if ((begunIterations.get(loop) ?? 0) !== index) more.outOfTurn.push(`${path.step}[${index}]`)
      begunIterations.set(loop, index + 1)
      open.add(index)
    }
    const { parent } = homeOf(path.step)
    if (parent !== undefined && open.size > (homeOf(parent).step.maxParallel ?? 1)) more.crowded.push(parent)
  }

  const noteJoin = ({ path: { step, iteration }, joined: facts }: Perform) => {
    const { step: container } = homeOf(step)
    if (!container.lanes || !facts) return
    joined++
    const seen = container.lanes.map(({ name }) => laneEnds.get(`${placeOf(step, iteration)}/${name}`))
    const isFailed = container.join === 'any' ? seen.every((end) => end !== 'ended') : seen.includes('failed')
    const isAllOver = container.join === 'any' || isFailed || seen.every((end) => end === 'ended')
    if (facts.isFailed !== isFailed || !isAllOver) wrongJoins.push(`${step}: ${JSON.stringify(facts)} of ${seen.join()}`)
  }

  const take = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (finish) told.afterEnd.push(command.kind)
      switch (command.kind) {
        case 'perform':
          if (onTheirWay.has(command.no)) told.overlaps.push(command.no)
          if (isPaused) more.whilePaused.push(command.path.step)
          if (command.phase === 'begin') noteBegin(command)
          if (command.phase === 'join') noteJoin(command)
          waiting.delete(command.no)
          onTheirWay.set(command.no, command)
          break
        case 'withdraw':
          if (!waiting.delete(command.no)) more.withdrawnTwice.push(command.no)
          break
        case 'compensate':
          asksCompensation = true
          compensations.push({ onTheirWay: onTheirWay.size, isCancelled })
          break
        case 'finish':
          finish = command
      }
    }
  }

  let { state, commands } = beginRun(plan)
  take(commands)
  const tell = (event: RunEvent) => {
    // As it comes back from where it was kept.
    ;({ state, commands } = advance(plan, JSON.parse(JSON.stringify(state)) as RunState, event))
    take(commands)
  }

  /** What the step leads to, read from its list alone. */
  const noteEnd = (command: Perform, outcome: Outcome) => {
    const { step, steps } = homeOf(command.path.step)
    const list = listOf(command)
    const following = steps[steps.indexOf(step) + 1]?.name ?? 'end'
    const target = () => {
      if (outcome.kind === 'done') return outcome.goTo ?? step.next ?? following
      if (outcome.kind === 'skipped' || step.onError === 'continue') return step.next ?? following
      return typeof step.onError === 'object' ? step.onError.goTo : 'failed'
    }
    if (outcome.kind !== 'done' && outcome.kind !== 'skipped' && outcome.kind !== 'failed' && outcome.kind !== 'endRun') return
    const to = outcome.kind === 'endRun' ? 'end' : target()
    const { path } = command
    expected.set(list, to)
    if (to !== 'end' && to !== 'failed') return
    laneEnds.set(list, to === 'end' ? 'ended' : 'failed')
    const loop = loopOf(command)
    const index = path.iteration.at(-1)
    if (loop !== undefined && index !== undefined) openIterations.get(loop)?.delete(index)
  }

  const outcomeOf = (command: Perform, isCalm: boolean): Outcome => {
    const { step, steps } = homeOf(command.path.step)
    const goTo = [...steps.map(({ name }) => name), 'end'][choose(steps.length + 1)] ?? 'end'
    const done: Outcome = !isCalm && choose(5) === 0 ? { kind: 'done', goTo } : { kind: 'done' }
    if (command.phase === 'join') return command.joined?.isFailed || (!isCalm && choose(12) === 0) ? { kind: 'failed' } : done
    if (!isCalm && choose(10) === 0) return { kind: choose(2) === 0 ? 'failed' : 'skipped' }
    switch (kindOf(step)) {
      case 'act':
        return done
      case 'wait':
        return choose(3) === 0 || (isCalm && command.phase !== 'begin')
          ? done
          : { kind: 'waiting', ...(choose(2) === 0 ? { untilMs: now + choose(50) } : {}) }
      case 'lanes':
        return { kind: 'lanes' }
      case 'loop':
        return { kind: 'items', count: choose(6) }
      case 'end':
        return { kind: 'endRun', state: choose(2) === 0 ? 'completed' : 'failed' }
    }
  }

  const endOne = (isCalm: boolean) => {
    const all = [...onTheirWay.values()]
    const command = all[choose(all.length)]
    if (!command) return false
    onTheirWay.delete(command.no)
    const outcome = outcomeOf(command, isCalm)
    if (outcome.kind === 'waiting') waiting.set(command.no, command)
    // A step that ends the run ends nothing once something else does.
    noteEnd(command, outcome)
    tell({ kind: 'ended', no: command.no, outcome })
    if (state.ending) isEnding = true
    return true
  }
  const undoOne = () => {
    if (!asksCompensation) return false
    asksCompensation = false
    tell({ kind: 'compensated', hasMore: left-- > 0 })
    return true
  }

  for (let move = 0; move < moves && !state.isFinished; move++) {
    const chance = choose(40)
    const someWaiting = [...waiting.keys()]
    if (chance < 3 && someWaiting.length > 0) tell({ kind: 'poked', no: someWaiting[choose(someWaiting.length)] ?? 0 })
    else if (chance === 4) tell({ kind: 'poked', no: choose(30) })
    else if (chance === 5) tell({ kind: 'woke', atMs: (now += choose(40)) })
    else if (chance === 6) {
      isPaused = !isPaused
      tell({ kind: isPaused ? 'paused' : 'resumed' })
    } else if (chance === 7 && choose(6) === 0) {
      isCancelled ||= !isEnding
      isEnding = true
      tell({ kind: 'cancelled' })
    } else if (chance === 8 && choose(10) === 0) {
      isEnding = true
      tell({ kind: 'expired' })
    } else if (!endOne(false) && !undoOne()) now += 5
  }
  isPaused = false
  if (!finish) tell({ kind: 'resumed' })
  // It goes on calmly: each thing that waits is woken, until the run is over or has waited often enough.
  for (let move = 0; move < 4_000 && !state.isFinished; move++) {
    if (endOne(true) || undoOne()) continue
    const wake = nextWake(state)
    if (wake === undefined) break
    tell({ kind: 'woke', atMs: (now = Math.max(now, wake)) })
  }
  const isStuck = !finish && onTheirWay.size === 0 && waiting.size === 0
  const openAtEnd = finish ? [...waiting.keys()] : []
  return { plan, state, finish, ...told, ...more, isStuck, openAtEnd, compensations, wrongJoins, joined }
}
