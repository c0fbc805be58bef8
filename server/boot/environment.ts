/** Settings from a file: for starts on one's own machine, where nobody sets them before each. */
import { existsSync } from 'node:fs'

import { messageOf } from './failures.ts'

/** Adds what the file says to the environment; what is set already wins. Nothing where there is no file. Throws a sentence where it cannot be read. */
export function loadEnvironment(path = '.env'): void {
  if (!existsSync(path)) return
  try {
    process.loadEnvFile(path)
  } catch (error) {
    throw new Error(`The settings in ${path} cannot be read: ${messageOf(error)}. Mend the file or remove it.`, { cause: error })
  }
}
