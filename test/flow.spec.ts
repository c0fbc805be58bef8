/** The logic of runs, over random plans, outcomes and orders of events, against what a list of steps promises. */
import { beforeAll, describe, expect, it } from 'vitest'

import { advance, beginRun, maxWaysBack, nextWake } from '#platform/flow/advance.ts'
import type { Plan, PlanStep } from '#platform/flow/plan.types.ts'
import type { Command, Outcome, RunEvent, RunState } from '#platform/flow/run.types.ts'

import { choosingFrom, driveAtRandom, planFrom, type Run } from './support/flow-model.ts'

const act = (name: string, more: Partial<PlanStep> = {}): PlanStep => ({ name, ...more })

/** A run whose steps are ended by hand. */
function runOf(plan: Plan) {
  let { state, commands } = beginRun(plan)
  const told: Command[] = [...commands]
  const tell = (event: RunEvent) => {
    ;({ state, commands } = advance(plan, JSON.parse(JSON.stringify(state)) as RunState, event))
    told.push(...commands)
    return commands.map(shown)
  }
  const noOf = (step: string) => {
    const found = told.findLast((command) => command.kind === 'perform' && command.path.step === step)
    if (found?.kind !== 'perform') throw new Error(`${step} was never begun`)
    return found.no
  }
  const end = (step: string, outcome: Outcome = { kind: 'done' }) => tell({ kind: 'ended', no: noOf(step), outcome })
  return { first: told.map(shown), tell, end, noOf, state: () => state }
}

function shown(command: Command): string {
  switch (command.kind) {
    case 'perform': {
      const at = command.path.iteration.length > 0 ? `${command.path.step}[${command.path.iteration.join('.')}]` : command.path.step
      return command.phase === 'begin' ? at : `${command.phase} ${at}`
    }
    case 'withdraw':
      return `withdraw ${command.path.step}`
    case 'compensate':
      return 'compensate'
    case 'finish':
      return `${command.state}: ${command.because}`
  }
}

describe('a run', () => {
  it('carries its steps out in their order, and is completed', () => {
    const run = runOf({ steps: [act('first'), act('second')] })
    expect([run.first, run.end('first'), run.end('second')]).toEqual([['first'], ['second'], ['completed: done']])
  })

  it('follows a branch, the next of a step, and the end of its list', () => {
    const run = runOf({ steps: [act('ask'), act('yes', { next: 'end' }), act('no')] })
    expect([run.end('ask', { kind: 'done', goTo: 'yes' }), run.end('yes')]).toEqual([['yes'], ['completed: done']])
  })

  it('goes past a step that is skipped, and past a failure where it may', () => {
    const run = runOf({
      steps: [act('maybe'), act('try', { onError: 'continue' }), act('other', { onError: { goTo: 'mend' } }), act('not'), act('mend')],
    })
    expect([
      run.end('maybe', { kind: 'skipped' }),
      run.end('try', { kind: 'failed' }),
      run.end('other', { kind: 'failed' }),
      run.end('mend'),
    ]).toEqual([['try'], ['other'], ['mend'], ['completed: done']])
  })

  it('waits for somebody or for a time, also when they were earlier than the wait', () => {
    const run = runOf({ steps: [act('ask'), act('then')] })
    expect(run.tell({ kind: 'poked', no: run.noOf('ask') })).toEqual([])
    expect(run.end('ask', { kind: 'waiting', untilMs: 1_000 })).toEqual(['resume ask'])
    expect(run.end('ask', { kind: 'waiting', untilMs: 1_000 })).toEqual([])
    expect(nextWake(run.state())).toBe(1_000)
    expect(run.tell({ kind: 'woke', atMs: 999 })).toEqual([])
    expect(run.tell({ kind: 'woke', atMs: 1_000 })).toEqual(['wake ask'])
    expect(run.end('ask')).toEqual(['then'])
  })

  it('holds before the next step while it is paused, timers and replies too', () => {
    const run = runOf({ steps: [act('ask'), act('then')] })
    run.end('ask', { kind: 'waiting', untilMs: 5 })
    expect(run.tell({ kind: 'paused' })).toEqual([])
    expect(run.tell({ kind: 'woke', atMs: 5 })).toEqual([])
    expect(run.tell({ kind: 'resumed' })).toEqual(['wake ask'])
  })

  it('ends a list that goes round and never waits', () => {
    const run = runOf({ steps: [act('round', { next: 'round' })] })
    const ends = Array.from({ length: maxWaysBack + 1 }, () => run.end('round'))
    expect([ends.at(-2), ends.at(-1)]).toEqual([['round'], ['failed: neverWaits']])
  })

  it('is failed where a step leads to one that is absent', () => {
    const run = runOf({ steps: [act('only')] })
    expect(run.end('only', { kind: 'done', goTo: 'nowhere' })).toEqual(['failed: noSuchStep'])
  })

  it('undoes what was done once it is cancelled: after the try on its way, and before its end', () => {
    const run = runOf({ steps: [act('one'), act('two')] })
    run.end('one')
    expect(run.tell({ kind: 'cancelled' })).toEqual([])
    expect(run.end('two')).toEqual(['compensate'])
    expect(run.tell({ kind: 'compensated', hasMore: true })).toEqual(['compensate'])
    expect(run.tell({ kind: 'compensated', hasMore: false })).toEqual(['cancelled: cancelled'])
    expect(run.tell({ kind: 'cancelled' })).toEqual([])
  })

  it('withdraws what waits where it takes longer than it may', () => {
    const run = runOf({ steps: [act('ask')] })
    run.end('ask', { kind: 'waiting' })
    expect(run.tell({ kind: 'expired' })).toEqual(['withdraw ask', 'failed: expired'])
  })

  it('goes on from the step that failed, and says which try that was', () => {
    const run = runOf({ steps: [act('one'), act('two'), act('three')] })
    run.end('one')
    const failedNo = run.noOf('two')
    expect(run.end('two', { kind: 'failed' })).toEqual(['failed: step'])
    const { commands } = advance({ steps: [act('one'), act('two'), act('three')] }, run.state(), { kind: 'retried' })
    expect(commands).toEqual([
      { kind: 'perform', no: failedNo + 1, path: { step: 'two', iteration: [] }, phase: 'begin', retryOf: failedNo },
    ])
    expect([run.tell({ kind: 'retried' }), run.end('two'), run.end('three')]).toEqual([['two'], ['three'], ['completed: done']])
  })
})

it('goes on where it is retried, though it was paused when it failed', () => {
  const run = runOf({ steps: [act('only')] })
  run.tell({ kind: 'paused' })
  expect(run.end('only', { kind: 'failed' })).toEqual(['failed: step'])
  expect(run.tell({ kind: 'retried' })).toEqual(['only'])
})

const lanes = (join: 'all' | 'any'): Plan => ({
  steps: [
    act('both', {
      join,
      lanes: [
        { name: 'left', steps: [act('l1'), act('l2')] },
        { name: 'right', steps: [act('r1'), act('r2')] },
      ],
    }),
    act('after'),
  ],
})

describe('lanes', () => {
  it('are joined when all have ended', () => {
    const run = runOf(lanes('all'))
    expect(run.end('both', { kind: 'lanes' })).toEqual(['l1', 'r1'])
    run.end('l1')
    run.end('l2')
    run.end('r1')
    expect([run.end('r2'), run.end('both')]).toEqual([['join both'], ['after']])
  })

  it('stop where one fails: a try on its way is finished, and what waits is withdrawn', () => {
    const waiting = runOf(lanes('all'))
    waiting.end('both', { kind: 'lanes' })
    waiting.end('r1', { kind: 'waiting' })
    expect(waiting.end('l1', { kind: 'failed' })).toEqual(['withdraw r1', 'join both'])
    const trying = runOf(lanes('all'))
    trying.end('both', { kind: 'lanes' })
    expect([trying.end('l1', { kind: 'failed' }), trying.end('r1')]).toEqual([[], ['join both']])
    expect(trying.end('both', { kind: 'failed' })).toEqual(['failed: step'])
    // What had gone on goes on, what had failed is tried again.
    expect(trying.tell({ kind: 'retried' })).toEqual(['l1', 'r2'])
  })

  it('of which any counts are joined by the first that ends well', () => {
    const run = runOf(lanes('any'))
    run.end('both', { kind: 'lanes' })
    run.end('r1', { kind: 'waiting' })
    run.end('l1')
    expect(run.end('l2')).toEqual(['withdraw r1', 'join both'])
    const failing = runOf(lanes('any'))
    failing.end('both', { kind: 'lanes' })
    expect(failing.end('l1', { kind: 'failed' })).toEqual([])
    expect(failing.end('r1', { kind: 'failed' })).toEqual(['join both'])
  })

  it('are all ended by a step that ends the run', () => {
    const run = runOf(lanes('all'))
    run.end('both', { kind: 'lanes' })
    run.end('r1', { kind: 'waiting' })
    expect(run.end('l1', { kind: 'endRun', state: 'completed' })).toEqual(['withdraw r1', 'completed: endStep'])
  })
})

const loop = (more: Partial<PlanStep> = {}, body: PlanStep[] = [act('each')]): Plan => ({
  steps: [act('loop', { body, ...more }), act('after')],
})

describe('a loop', () => {
  it('carries its body out for each item, as many at once as it may', () => {
    const run = runOf(loop({ maxParallel: 2 }))
    expect(run.end('loop', { kind: 'items', count: 3 })).toEqual(['each[0]', 'each[1]'])
    expect(run.end('each')).toEqual(['each[2]'])
    expect(run.end('each')).toEqual([])
    expect(run.tell({ kind: 'ended', no: 2, outcome: { kind: 'done' } })).toEqual(['join loop'])
    expect(run.end('loop')).toEqual(['after'])
  })

  it('of nothing is over at once', () => {
    expect(runOf(loop()).end('loop', { kind: 'items', count: 0 })).toEqual(['join loop'])
  })

  it('begins no further iteration once one has failed', () => {
    const run = runOf(loop())
    run.end('loop', { kind: 'items', count: 3 })
    run.end('each')
    expect(run.end('each', { kind: 'failed' })).toEqual(['join loop'])
    expect(run.end('loop', { kind: 'failed' })).toEqual(['failed: step'])
    expect([run.tell({ kind: 'retried' }), run.end('each'), run.end('each')]).toEqual([['each[1]'], ['each[2]'], ['join loop']])
  })

  it('counts the iterations in which a step failed and that went on', () => {
    const plan = loop({}, [act('each', { onError: 'continue' })])
    const run = runOf(plan)
    run.end('loop', { kind: 'items', count: 2 })
    run.end('each', { kind: 'failed' })
    const { commands } = advance(plan, run.state(), { kind: 'ended', no: run.noOf('each'), outcome: { kind: 'done' } })
    expect(commands).toMatchObject([{ kind: 'perform', phase: 'join', joined: { isFailed: false, begun: 2, failed: 1 } }])
  })
})

describe('any plan, whatever happens to it', () => {
  // The seed of a run that breaks a promise is its index.
  let runs: readonly Run[] = []
  beforeAll(() => {
    runs = Array.from({ length: 1_200 }, (_, seed) => {
      const choose = choosingFrom(seed)
      return driveAtRandom(planFrom(choose), choose)
    })
  }, 120_000)
  const breaking = (check: (run: Run) => boolean) => runs.flatMap((run, seed) => (check(run) ? [seed] : []))

  it('ends in every way that there is', () => {
    expect(new Set(runs.map(({ finish }) => finish?.because))).toEqual(
      new Set(['done', 'endStep', 'step', 'cancelled', 'expired', 'neverWaits', undefined]),
    )
    expect(runs.reduce((sum, { begun }) => sum + begun.length, 0)).toBeGreaterThan(10_000)
  })

  it('ends or waits, and begins nothing after its end', () => {
    expect(breaking(({ isStuck, state, finish }) => isStuck || state.isFinished !== (finish !== undefined))).toEqual([])
    expect(breaking(({ afterEnd }) => afterEnd.length > 0)).toEqual([])
  })

  it('begins only what its lists lead to, each once, and one try of a step at a time', () => {
    expect(breaking(({ strays }) => strays.length > 0)).toEqual([])
    expect(breaking(({ twice, overlaps }) => twice.length + overlaps.length > 0)).toEqual([])
  })

  it('holds while it is paused', () => {
    expect(breaking(({ whilePaused }) => whilePaused.length > 0)).toEqual([])
  })

  it('leaves no wait open at its end, and withdraws none that was taken', () => {
    expect(breaking(({ openAtEnd, withdrawnTwice }) => openAtEnd.length + withdrawnTwice.length > 0)).toEqual([])
  })

  it('never has more iterations on their way than a loop allows, and begins each in its turn', () => {
    expect(breaking(({ crowded, outOfTurn }) => crowded.length + outOfTurn.length > 0)).toEqual([])
  })

  it('undoes only after a cancellation, with nothing on its way, until nothing is left', () => {
    expect(breaking(({ compensations }) => compensations.some(({ onTheirWay, isCancelled }) => onTheirWay > 0 || !isCancelled))).toEqual([])
    expect(runs.filter(({ compensations }) => compensations.length > 0).length).toBeGreaterThan(30)
  })

  it('joins lanes by how they ended, and begins nothing in the others once one has decided it', () => {
    expect(breaking(({ tooLate }) => tooLate.length > 0)).toEqual([])
    expect(breaking(({ wrongJoins }) => wrongJoins.length > 0)).toEqual([])
    expect(runs.reduce((sum, { joined }) => sum + joined, 0)).toBeGreaterThan(200)
  })
})
