/** A published version, for whatever runs it: kept by the process, since it never changes, but for the names of what it refers to. */
import { LRUCache } from 'lru-cache'

import type { Plan } from '#platform/flow/plan.types.ts'
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import { findDefinitionNames, type Reference, type Renames, renamesOf, withTodaysNames } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'

import { findVersion } from '../workflows.store.ts'
import type { WorkflowBody } from './definition.types.ts'

interface PublishedVersion {
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  readonly entityId: number | null
  readonly roleFlag: number
  readonly plan: Plan
  /** With today's names. */
  readonly body: WorkflowBody
  /** What had another name when it was published, and in records that its runs have kept. */
  readonly renames: Renames | undefined
}

interface KeptVersion extends Omit<PublishedVersion, 'body' | 'renames'> {
  readonly stored: Readonly<Record<string, unknown>>
  readonly references: readonly Reference[]
  readonly definitionIds: readonly number[]
  readonly characters: number
  /** Under the names that everything had when it was asked for last. */
  named?: { readonly catalog: Catalog; readonly names: string } & Pick<PublishedVersion, 'body' | 'renames'>
}

// Objects take a few times as much as their text, and each is there under its names once more.
const keptCharacters = 16 * 1024 * 1024

const versionsOf = kept(
  () => new LRUCache<string, KeptVersion>({ max: 5_000, maxSize: keptCharacters, sizeCalculation: ({ characters }) => characters }),
)

async function readVersion({ tx, tenantId, services }: TxContext, workflowId: number, version: number): Promise<KeptVersion | undefined> {
  const versions = versionsOf(services)
  const key = `${tenantId}:${workflowId}:${version}`
  const known = versions.get(key)
  if (known) return known
  const row = await findVersion(tx, tenantId, workflowId, version)
  if (!row) return undefined
  const { internalName, entityId, roleFlag, isOwn } = row
  // All three were written by publishing.
  const stored = JSON.parse(row.body) as Record<string, unknown>
  const references = JSON.parse(row.refs) as Reference[]
  const plan = JSON.parse(row.plan) as Plan
  const definitionIds = [...new Set(references.flatMap((one) => one.definitionId ?? []))]
  const characters = row.body.length + row.refs.length + row.plan.length
  const read = { workflowId, version, internalName, entityId, roleFlag, plan, stored, references, definitionIds, characters }
  // What this transaction published may be rolled back, and another version would then get its number.
  if (!isOwn) versions.set(key, read)
  return read
}

/** A version of a workflow, of a deleted one too: its runs go on. */
export async function readPublished(
  context: TxContext,
  catalog: Catalog,
  workflowId: number,
  version: number,
): Promise<PublishedVersion | undefined> {
  const read = await readVersion(context, workflowId, version)
  if (!read) return undefined
  const { stored, references, definitionIds, characters: _characters, named, ...row } = read
  const found = await findDefinitionNames(context.tx, context.tenantId, definitionIds)
  const names = JSON.stringify([...found])
  if (named?.catalog === catalog && named.names === names) return { ...row, body: named.body, renames: named.renames }
  const body = withTodaysNames(stored, references, catalog, found) as unknown as WorkflowBody
  const renames = renamesOf(stored, references, catalog)
  read.named = { catalog, names, body, renames }
  return { ...row, body, renames }
}
