/** What passes through Temporal, on a whole product: save to recognised, commit to first activity, memory at rest. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import postgres from 'postgres'
import sharp from 'sharp'
import { z } from 'zod'

import { recordTable } from '#platform/db/records.ts'

import { connect, type DayClient } from '../test/day/client.ts'
import { openStack, type Stack } from '../test/day/stack.ts'
import { awaitJob } from '../test/day/steps.ts'

import { type Memory, memoryOfProduct } from './memory.ts'
import { median, percentile } from './statistics.ts'

/** Milliseconds, megabytes. */
export interface WorkflowResult {
  /** From sending the save to the end of its analysis: the text and the classification of a photograph of a sign. */
  readonly saveToRecognised: { readonly p50: number; readonly max: number; readonly count: number }
  /** From the time in the commit record of the saving transaction, before it is on the disk, to the stamp that the first activity writes. */
  readonly commitToFirstActivity: { readonly p50: number; readonly p99: number; readonly count: number }
  readonly atRest: Memory
}

const recognitions = 5
const starts = 60

const catalog = {
  properties: [
    { internalName: 'Photo', dataType: 'Attachment' },
    { internalName: 'Picture', dataType: 'Attachment' },
    { internalName: 'TextFound', dataType: 'Text' },
    { internalName: 'Shows', dataType: 'Text' },
  ],
  entities: [{ internalName: 'Finding', properties: ['Photo', 'Picture', 'TextFound', 'Shows'].map((property) => ({ property })) }],
}

/** Undefined, with the reason, where no Temporal is to be had within two minutes. */
export async function measureWorkflows(): Promise<WorkflowResult | { readonly skipped: string }> {
  const stack = await openStack({ CALLS_PER_MINUTE: '1000000' })
  try {
    try {
      await stack.ready({ limitMs: 120_000 })
    } catch (error) {
      return { skipped: `Temporal was not up after two minutes. ${String(error).slice(0, 200)}` }
    }
    const client = await connect(stack.url, stack.key)
    try {
      // At rest: after the start has settled, before any work.
      await new Promise((next) => setTimeout(next, 5_000))
      const atRest = memoryOfProduct(stack.pid)
      await prepare(client)
      const commits = await keepCommitTimes(stack)
      try {
        return { atRest, commitToFirstActivity: await firstActivities(client, commits), saveToRecognised: await recognise(client) }
      } finally {
        await commits.end()
      }
    } finally {
      await client.close()
    }
  } finally {
    await stack.stop()
  }
}

async function prepare(client: DayClient): Promise<void> {
  await client.tool('import_catalog', catalog)
  const { properties } = await client.tool('describe_entity', { entity: 'Finding' })
  const idOf = (name: string) =>
    properties.find((property: { propertyInternalName: string }) => property.propertyInternalName === name).entityPropertyId
  const targets = {
    Photo: { ocr: true, classify: true, targets: { text: 'TextFound', topLabel: 'Shows' } },
    Picture: { ocr: false, classify: true },
  }
  for (const [name, settings] of Object.entries(targets))
    await client.tool('set_attachment_analysis', { entity: 'Finding', entityPropertyId: idOf(name), ...settings })
}

/** Has PostgreSQL keep the time of each commit, for which it must be started again; answers a superuser's connection that can ask for them. */
async function keepCommitTimes(stack: Stack): Promise<postgres.Sql> {
  const [port, credentials] = await Promise.all(
    ['postgres.port', 'postgres-credentials.json'].map((name) => readFile(join(stack.dataDir, name), 'utf8')),
  )
  const { superuser } = z.object({ superuser: z.string() }).parse(JSON.parse(credentials ?? ''))
  const sql = postgres(`postgres://postgres:${superuser}@127.0.0.1:${Number(port)}/fieldloop`, { max: 1, onnotice: () => {} })
  await sql`alter system set track_commit_timestamp = on`
  await stack.killServer()
  await stack.killMatching(/./)
  stack.start()
  await stack.ready()
  return sql
}

/** When the transaction that inserted the record was committed, in milliseconds since 1970; nothing has changed the row since. */
async function committedAt(commits: postgres.Sql, table: string, key1: string): Promise<number> {
  const [row] = await commits.unsafe<{ at: number }[]>(
    `select extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at from ${table} where key1 = $1`,
    [key1],
  )
  if (!row) throw new Error(`There is no record ${key1} in ${table}`)
  return row.at
}

/** Saves a picture that was never seen before: what follows the end of the image makes another file of it. */
async function savePicture(
  client: DayClient,
  property: string,
  image: Buffer,
  mimeType: string,
): Promise<{ jobId: number; key1: string; from: number }> {
  const bytes = Buffer.concat([image, randomBytes(16)])
  const upload = await client.tool('create_upload_url', { fileName: `picture.${mimeType.slice(6)}`, mimeType, sizeBytes: bytes.length })
  await client.put(upload.url, new Uint8Array(bytes))
  const key1 = crypto.randomUUID()
  const from = performance.now()
  const saved = await client.tool('save_instance', { entity: 'Finding', key1, data: { [property]: upload.assetKey } })
  const jobId = saved.jobIds?.[0]
  if (typeof jobId !== 'number') throw new Error('The save queued no analysis')
  return { jobId, key1, from }
}

async function finished(client: DayClient, jobId: number): Promise<{ startedDate: string }> {
  const { state } = await awaitJob(client, jobId)
  if (state !== 'succeeded') throw new Error(`Job ${jobId} ended as ${state}`)
  return client.tool('get_job', { jobId })
}

async function firstActivities(client: DayClient, commits: postgres.Sql): Promise<WorkflowResult['commitToFirstActivity']> {
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()
  const { tenantId } = await client.tool('whoami', {})
  const { entity } = await client.tool('describe_entity', { entity: 'Finding' })
  const table = recordTable(tenantId, entity.entityId)
  const times: number[] = []
  for (let count = -3; count < starts; count++) {
    const { jobId, key1 } = await savePicture(client, 'Picture', image, 'image/png')
    const job = await finished(client, jobId)
    if (count >= 0) times.push(Date.parse(job.startedDate) - (await committedAt(commits, table, key1)))
  }
  return { p50: median(times), p99: percentile(times, 0.99), count: times.length }
}

async function recognise(client: DayClient): Promise<WorkflowResult['saveToRecognised']> {
  const image = await readFile(join(import.meta.dirname, '../test/fixtures/recognition/sign.jpg'))
  const times: number[] = []
  for (let count = -1; count < recognitions; count++) {
    const { jobId, from } = await savePicture(client, 'Photo', image, 'image/jpeg')
    await finished(client, jobId)
    if (count >= 0) times.push(performance.now() - from)
  }
  return { p50: median(times), max: Math.max(...times), count: times.length }
}
