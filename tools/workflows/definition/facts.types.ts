/** What a definition is held against: the tenant as it is when somebody asks. */
import type { RoleExpression } from '#platform/roles.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import type { References } from '#tools/properties/service.ts'

import type { NamedDefinitions } from './references.rules.ts'

export interface OperationFacts {
  readonly name: string
  readonly roles: RoleExpression
  readonly issuesSecret: boolean
  /** The fields of its input, and those that it cannot do without. */
  readonly fields: readonly string[]
  readonly required: readonly string[]
}

export interface Facts {
  readonly catalog: Catalog
  readonly named: NamedDefinitions
  /** Names of each kind, for suggestions. */
  readonly known: {
    readonly form: readonly string[]
    readonly report: readonly string[]
    readonly view: readonly string[]
    readonly workflow: readonly string[]
    readonly messageTemplate: readonly string[]
  }
  /** What messages may go by: kinds of channels, and the tenant's own by name. */
  readonly channels: readonly string[]
  readonly operations: { find(name: string): OperationFacts | undefined; readonly names: readonly string[] }
  /** Of those that the definition names. */
  readonly users: ReadonlySet<number>
  /** Every role that some user of the tenant holds, together. */
  readonly heldRoles: number
  /** Hosts of each secret by its name in lower case. */
  readonly secrets: ReadonlyMap<string, readonly string[]>
  readonly references: References
  /** Whom its runs act as; undefined before it was first published. */
  readonly serviceUserId: number | undefined
  /** Which triggers have a secret to check signatures by. */
  readonly signedTriggers: ReadonlySet<number>
  /** A moment to look for due times from. */
  readonly now: number
}
