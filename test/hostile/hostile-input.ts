/** What one line of a table of hostile inputs says. */
import type { Answer, WatchedServer } from '../support/watched-server.ts'

export interface HostileInput {
  /** Ends the sentence "it answers others while it is sent …". */
  readonly name: string
  readonly send: (server: WatchedServer) => Promise<Answer>
  readonly status: number
  /** What the answer says. */
  readonly says?: RegExp
}

export function fields(count: number, one: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => one(index)).join(',')
}
