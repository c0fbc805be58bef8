/** What an archive of a tenant is filled from, in a fixed order: whoever goes on after an interruption finds the place again. */
import type { Readable } from 'node:stream'

import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { mapInTurns } from '#platform/turns.ts'
import { listFilesAfter, openStored } from '#tools/assets/service.ts'
import { listDefinitionsAfter, readDefinitions } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { readWhole, readWholeLinks, type VersionPlace, type WholePage } from '#tools/query/service.ts'
import { wholeDocument } from '#tools/schema/service.ts'

import { listTableRows, readShapes } from './export.store.ts'
import { filePath, lineName } from './paths.rules.ts'
import { exportedTables, exportFolder } from './tables.rules.ts'

/** The place of a source among the others. */
export type SourceNumber = readonly [group: number, number: number]

/** Rows of one kind, as lines of one file. */
export interface LineSource {
  readonly number: SourceNumber
  readonly name: string
  readonly extension: 'jsonl' | 'json'
  /** Behind what an earlier page left as `next`; from the beginning without it. */
  page(after: unknown): Promise<WholePage<unknown>>
}

interface ListedFile {
  readonly path: string
  readonly sizeBytes: number
  /** Behind it. */
  readonly next: string
  /** Undefined: it has gone meanwhile. */
  open(): Promise<Readable | undefined>
}

/** Files, each of which is one of the archive. */
export interface FileSource {
  readonly number: SourceNumber
  list(after: string | undefined): Promise<readonly ListedFile[]>
}

const groups = { catalog: 0, definitions: 1, tables: 2, records: 3, links: 4, history: 5, files: 6 } as const
const rowsAtOnce = 2_000
const pageBytes = 1024 * 1024
// Of half a megabyte at most.
const definitionsAtOnce = 8
const filesAtOnce = 500

async function definitionsPage(context: TxContext, after = 0): Promise<WholePage<number>> {
  const rows = await listDefinitionsAfter(context.tx, context.tenantId, after, definitionsAtOnce)
  const read = await readDefinitions(context, rows, await cachedCatalog(context))
  const lines = read.map(({ gone: _gone, ...definition }) => JSON.stringify(definition))
  return { lines, next: rows.length < definitionsAtOnce ? undefined : rows.at(-1)?.definitionId }
}

/** One JSON document, a definition a line: written at once it would hold everybody up. */
async function catalogLines(context: TxContext): Promise<string[]> {
  const { properties, entities, ...rest } = await wholeDocument(context)
  const listed = async (name: string, definitions: readonly object[]) => {
    const texts = await mapInTurns(definitions, (one) => JSON.stringify(one))
    return [`"${name}":[`, ...texts.map((text, index) => (index === texts.length - 1 ? text : `${text},`)), ']']
  }
  const [ofProperties, ofEntities] = [await listed('properties', properties), await listed('entities', entities)]
  const head = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
  return ['{', ...head, ...ofProperties, ',', ...ofEntities, '}']
}

/** Everything that a tenant has, as it stands now. */
export async function sourcesOf(services: Services, tenantId: number): Promise<{ lines: readonly LineSource[]; files: FileSource }> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  // A place was left by the same source, and kept as JSON meanwhile.
  const reading =
    <Place>(read: (context: TxContext, after: Place | undefined) => Promise<WholePage<Place>>): LineSource['page'] =>
    (after) =>
      inTenant((context) => read(context, after as Place | undefined))
  const { shapes, entities } = await inTenant(async (context) => {
    const { entities: all } = await cachedCatalog(context)
    return { shapes: await readShapes(context.tx, exportedTables), entities: all.toSorted((a, b) => a.entityId - b.entityId) }
  })
  const ofEntities = (part: 'records' | 'history'): LineSource[] =>
    entities.map(({ entityId, internalName }) => ({
      number: [groups[part], entityId],
      name: `${part}/${lineName(internalName, entityId)}`,
      extension: 'jsonl',
      page: reading<VersionPlace>(async (context, after) => {
        const catalog = await cachedCatalog(context)
        const entity = catalog.byIdOrName.get(String(entityId))
        return entity ? readWhole(context, catalog, entity, part, after) : { lines: [], next: undefined }
      }),
    }))
  const lines: LineSource[] = [
    {
      number: [groups.catalog, 0],
      name: 'catalog',
      extension: 'json',
      page: reading(async (context) => ({ lines: await catalogLines(context), next: undefined })),
    },
    { number: [groups.definitions, 0], name: 'definitions', extension: 'jsonl', page: reading(definitionsPage) },
    ...shapes.map((shape, index): LineSource => ({
      number: [groups.tables, index],
      name: `tables/${shape.exported.table}`,
      extension: 'jsonl',
      page: reading<string>(async ({ tx }, after) => {
        const { rows, hasMore } = await listTableRows(tx, tenantId, shape, after, { rows: rowsAtOnce, bytes: pageBytes })
        return { lines: rows.map(({ line }) => line), next: hasMore ? rows.at(-1)?.place : undefined }
      }),
    })),
    ...ofEntities('records'),
    { number: [groups.links, 0], name: 'links', extension: 'jsonl', page: reading(readWholeLinks) },
    ...ofEntities('history'),
  ]
  const files: FileSource = {
    number: [groups.files, 0],
    async list(after) {
      const rows = await inTenant(({ tx }) => listFilesAfter(tx, tenantId, { after, except: exportFolder, limit: filesAtOnce }))
      return rows.map(({ assetKey, originalFileName, storagePath, sizeBytes }) => ({
        path: filePath(assetKey, originalFileName),
        sizeBytes,
        next: assetKey,
        open: () => openStored(services, storagePath),
      }))
    },
  }
  return { lines, files }
}

/** Whether one source stands before another. */
export const isBefore = (a: SourceNumber, b: SourceNumber) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
