/** How the contract suite gets a working call of an operation: one arrangement an operation, in `given/<domain>.ts`. */
import type { TestTenant, World } from '#test/support/world.ts'

export interface Stage {
  readonly world: World
  /** A fresh tenant, arranged through operations. */
  readonly tenant: TestTenant
  /** Runs an operation as the tenant's administrator; answers the REST body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as World.call
  call(name: string, input?: unknown): Promise<any>
  /** A name that nothing else has: `unique('Order')` → `Order_k3f9`. */
  unique(prefix: string): string
}

export interface Arranged {
  /** An input that succeeds, once. */
  readonly input: Record<string, unknown>
  /** Of an operation of persons: the session that calls. */
  readonly session?: string
  /** The call ends the credential that it is made with, so that no other call follows with it. */
  readonly endsItself?: true
  /** Fields whose values differ from call to call by nature (ids and times are known already). */
  readonly varying?: readonly string[]
}

export type Arrange = (stage: Stage) => Promise<Arranged>
export type Given = Readonly<Record<string, Arrange>>
