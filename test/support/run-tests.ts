/** `npm test`: the whole suite on services that it starts itself. Arguments go to vitest: `npm test -- test/instances.spec.ts -t 'a sentence'`. */
import { parseCLI, startVitest } from 'vitest/node'

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const vitest = await startVitest('test', filter, { ...options, run: true, watch: false })
const modules = vitest.state.getTestModules()
const count = modules.reduce((sum, module) => sum + [...module.children.allTests()].length, 0)
await vitest.close()
if (count === 0) {
  process.stderr.write('No test was run. Name a file that exists.\n')
  process.exitCode = 1
}
process.exit()
