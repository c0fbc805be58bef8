/**
 * Tenants' patterns. RE2 takes time in proportion to the text and to the size of the compiled pattern, so both are bounded; what still takes longer than
 * the event loop can spare is matched in a thread of its own.
 */
import { Worker } from 'node:worker_threads'

import { RE2JS } from 're2js'

import { AppError } from './errors.ts'

/** Of a compiled pattern, in instructions. */
export const maxPatternSize = 1_000

// A step costs 40 ns at the worst: a text may then take 0.8 s of the thread.
const maxStepsOfText = 20_000_000
// Of one message to the thread, so that callers take turns there.
const stepsAtOnce = 4_000_000
/** What one call may take of the thread. */
const msOfCall = 5_000
/** How long it may wait there for others. */
const waitMs = 15_000
// A text of the most steps on a machine a tenth as fast.
const threadMs = 10_000
const threadHeapMiB = 256

/** What matching, and compiling for it, may take of one turn of the event loop; the short texts that most properties have may take more. */
const msOfTurn = 5
const msOfShortTexts = 15
// Above this a match alone could take as long as a turn may.
const stepsInline = 50_000
// Below this it is estimated, for looking at the clock takes as long.
const stepsOfShortText = 500
const msPerStep = 1e-5

const keptPatterns = 2_000

export type PatternProblem = 'foreign' | 'broken' | 'tooLarge'

export interface PatternTask {
  readonly pattern: string
  readonly texts: readonly string[]
}

export type PatternAnswer =
  | { readonly size: number; readonly matches: readonly boolean[]; readonly ms: number }
  | { readonly problem: PatternProblem; readonly ms: number }

/** Whether a text matches; `tooLong` where it is too long for the pattern, `tooMuch` where the call took all of its time; undefined: not known yet. */
export type Verdict = boolean | 'tooLong' | 'tooMuch' | undefined

/** Holds texts against patterns, here and now. */
export interface PatternMatcher {
  matches(pattern: string, text: string): Verdict
}

/** Those of one call. Texts that take long are held back: `settle` finds out, and asking again answers. */
export interface CallMatcher extends PatternMatcher {
  /** Whether something was held back since this was asked last. */
  takePending(): boolean
  settle(): Promise<void>
}

const compiled = new Map<string, RE2JS | PatternProblem>()
/** Of patterns that only the thread has compiled. */
const sizes = new Map<string, number | PatternProblem>()

function keep<T>(patterns: Map<string, T>, pattern: string, value: T): T {
  if (patterns.size >= keptPatterns) patterns.clear()
  patterns.set(pattern, value)
  return value
}

/** Compiles here and now, once for each pattern. */
export function compilePattern(pattern: string): RE2JS | PatternProblem {
  return compiled.get(pattern) ?? keep(compiled, pattern, compileAnew(pattern))
}

function compileAnew(pattern: string): RE2JS | PatternProblem {
  try {
    const made = RE2JS.compile(pattern)
    return made.programSize() <= maxPatternSize ? made : 'tooLarge'
  } catch {
    return /\(\?<?[=!]|\\[1-9]|\\k</.test(pattern) ? 'foreign' : 'broken'
  }
}

/** Whether compiling may take more than some milliseconds, as long patterns do and those with many classes of Unicode. */
function isDear(pattern: string): boolean {
  return pattern.length > 120 || (pattern.match(/\\[pP]|\[/g)?.length ?? 0) > 10
}

/** How many characters a text may have that is held against this pattern. */
export function longestTextFor(pattern: string): number {
  const known = compiled.get(pattern)
  const size = known instanceof RE2JS ? known.programSize() : sizes.get(pattern)
  return typeof size === 'number' ? Math.floor(maxStepsOfText / size) : 0
}

/** What is wrong with a pattern, if `preparePatterns` or anybody else has seen it already; else found out here and now. */
export function findPatternFault(pattern: string): PatternProblem | undefined {
  const known = compiled.get(pattern) ?? sizes.get(pattern) ?? compilePattern(pattern)
  return typeof known === 'string' ? known : undefined
}

/** Has the thread compile what takes long, so that asking for its faults afterwards does not. A definition has one pattern, a catalog may have thousands. */
export async function preparePatterns(patterns: readonly string[]): Promise<void> {
  const unknown = patterns.filter((pattern) => !compiled.has(pattern) && !sizes.has(pattern))
  if (unknown.length <= 2 && !unknown.some(isDear)) return
  const beganAt = performance.now()
  for (const pattern of new Set(unknown)) await sizeOf(pattern, beganAt)
}

async function sizeOf(pattern: string, beganAt: number): Promise<number | PatternProblem> {
  const known = sizes.get(pattern)
  if (known !== undefined) return known
  const answer = await askThread({ pattern, texts: [] }, beganAt)
  // A pattern that the thread does not get done with is one that nothing can be held against.
  return keep(sizes, pattern, answer === undefined ? 'tooLarge' : 'size' in answer ? answer.size : answer.problem)
}

let msSpent = 0

/** Counts towards the turn's share, which begins anew once others have had their turn. */
function spend(ms: number): void {
  if (msSpent === 0) setImmediate(() => (msSpent = 0))
  // Never nothing, which would mean that the turn has not begun.
  msSpent += ms + 1e-6
}

function timed<T>(work: () => T): T {
  const beganAt = performance.now()
  const result = work()
  spend(performance.now() - beganAt)
  return result
}

/** A matcher for one call. */
export function createMatcher(): CallMatcher {
  const verdicts = new Map<string, Map<string, Verdict>>()
  const pending = new Map<string, string[]>()
  let hasPending = false

  const say = (pattern: string, text: string, verdict: Verdict): Verdict => {
    const known = verdicts.get(pattern)
    if (known) known.set(text, verdict)
    else verdicts.set(pattern, new Map([[text, verdict]]))
    return verdict
  }
  const holdBack = (pattern: string, text: string): undefined => {
    hasPending = true
    if (verdicts.get(pattern)?.has(text)) return
    say(pattern, text, undefined)
    const texts = pending.get(pattern)
    if (texts) texts.push(text)
    else pending.set(pattern, [text])
  }

  return {
    matches(pattern, text) {
      const known = verdicts.get(pattern)?.get(text)
      if (known !== undefined) return known
      let re = compiled.get(pattern)
      if (re === undefined) {
        if (msSpent > msOfTurn || isDear(pattern)) return holdBack(pattern, text)
        re = timed(() => compilePattern(pattern))
      }
      // What was refused when it was defined is none that a property has; the bound may have been another one then.
      if (!(re instanceof RE2JS)) return 'tooLong'
      const steps = re.programSize() * text.length
      if (steps > maxStepsOfText) return 'tooLong'
      const matcher = re.matcher(text)
      if (steps <= stepsOfShortText) {
        if (msSpent > msOfShortTexts) return holdBack(pattern, text)
        spend(steps * msPerStep)
        return matcher.find()
      }
      return steps > stepsInline || msSpent > msOfTurn ? holdBack(pattern, text) : timed(() => matcher.find())
    },

    takePending() {
      const was = hasPending
      hasPending = false
      return was
    },

    async settle() {
      const beganAt = performance.now()
      let ms = 0
      for (const [pattern, texts] of pending) {
        const size = await sizeOf(pattern, beganAt)
        for (const batch of batchesOf(texts, typeof size === 'number' ? size : 1)) {
          const isTooLong = typeof size !== 'number' || (batch[0]?.length ?? 0) * size > maxStepsOfText
          const answer = isTooLong || ms > msOfCall ? undefined : await askThread({ pattern, texts: batch }, beganAt)
          ms += answer?.ms ?? (isTooLong ? 0 : threadMs)
          for (const [index, text] of batch.entries())
            say(pattern, text, isTooLong ? 'tooLong' : answer && 'matches' in answer ? (answer.matches[index] ?? 'tooMuch') : 'tooMuch')
        }
      }
      pending.clear()
    },
  }
}

/** For values that are held against no pattern. */
export const noPatterns: PatternMatcher = { matches: () => true }

/** What `read` answers once nothing that it asks for is held back. It is called again until then, so it changes nothing. */
export async function whenMatched<T>(read: (patterns: PatternMatcher) => T): Promise<T> {
  const patterns = createMatcher()
  for (;;) {
    const result = read(patterns)
    if (!patterns.takePending()) return result
    await patterns.settle()
  }
}

/** Texts that take a bounded number of steps together; one that takes more goes alone. */
function* batchesOf(texts: readonly string[], size: number): Generator<readonly string[]> {
  let batch: string[] = []
  let steps = 0
  for (const text of texts) {
    const more = text.length * size
    if (batch.length > 0 && steps + more > stepsAtOnce) {
      yield batch
      batch = []
      steps = 0
    }
    batch.push(text)
    steps += more
  }
  if (batch.length > 0) yield batch
}

let thread: Worker | undefined
let queue: Promise<unknown> = Promise.resolve()

/** Asks the thread, one task after the other. Undefined where it took too long, or more memory than it has. Throws AppError `unavailable`. */
function askThread(task: PatternTask, since: number): Promise<PatternAnswer | undefined> {
  const answer = queue.then(() => {
    if (performance.now() - since < waitMs) return answerOfThread(task)
    throw new AppError('unavailable', 'Too many texts are held against patterns at the moment. Ask again shortly.', {
      retryAfterSeconds: 5,
    })
  })
  queue = answer.catch(() => {})
  return answer
}

function answerOfThread(task: PatternTask): Promise<PatternAnswer | undefined> {
  const worker = (thread ??= new Worker(new URL('./patterns-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: threadHeapMiB },
    execArgv: [],
  }))
  // It holds up neither the end of the process nor of a test.
  worker.unref()
  return new Promise((resolve) => {
    const end = (answer: PatternAnswer | undefined) => {
      clearTimeout(limit)
      worker.off('message', end).off('error', giveUp).off('exit', giveUp)
      resolve(answer)
    }
    const giveUp = () => {
      if (thread === worker) thread = undefined
      void worker.terminate()
      end(undefined)
    }
    const limit = setTimeout(giveUp, threadMs)
    worker.once('message', end).once('error', giveUp).once('exit', giveUp)
    worker.postMessage(task)
  })
}
