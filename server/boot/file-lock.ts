/** A lock between processes that the kernel releases when its holder dies, however it dies. */
import { DatabaseSync } from 'node:sqlite'

import { messageOf } from './failures.ts'

export interface FileLock {
  release(): void
}

const busy = 5

/** Held locks stay reachable: a collected handle would release its lock. */
const held = new Set<DatabaseSync>()

/**
 * Takes the lock on a file, which is made when missing and stays empty. Undefined when another holder has it, in this process or
 * another. SQLite is the one part of Node that locks files in the kernel: a file with a pid would outlive a kill -9.
 */
export function tryLock(path: string): FileLock | undefined {
  const database = new DatabaseSync(path)
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
    throw new Error(`The lock ${path} cannot be taken: ${messageOf(error)}.`, { cause: error })
  }
  held.add(database)
  return {
    release() {
      if (held.delete(database)) database.close()
    },
  }
}
