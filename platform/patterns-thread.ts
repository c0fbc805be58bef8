/** The thread that holds texts against tenants' patterns, which may take long, or compiles them, which may too. */
import { parentPort } from 'node:worker_threads'

import { compilePattern, type PatternAnswer, type PatternTask } from './patterns.ts'

parentPort?.on('message', ({ pattern, texts }: PatternTask) => {
  const beganAt = performance.now()
  const answer = (): PatternAnswer => {
    const compiled = compilePattern(pattern)
    if (typeof compiled === 'string') return { problem: compiled, ms: performance.now() - beganAt }
    const matches = texts.map((text) => compiled.matcher(text).find())
    return { size: compiled.programSize(), matches, ms: performance.now() - beganAt }
  }
  parentPort?.postMessage(answer())
})
