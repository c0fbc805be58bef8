/** A reporter that closes with the names of what was not tested, then one plain line: `12 passed, 0 failed, 1 skipped`. */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const skippedNames: string[] = []
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'skipped') skippedNames.push(`${module.relativeModuleId} > ${test.fullName}`)
        if (state !== 'pending') counts[state]++
      }
      // A file that could not be loaded has no tests to fail.
      if (module.state() === 'failed' && [...module.children.allTests()].every((test) => test.result().state !== 'failed')) counts.failed++
    }
    for (const name of skippedNames) process.stdout.write(`not tested here: ${name}\n`)
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
  }
}
