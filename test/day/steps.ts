/** The day: five steps of real work, each by the calls that an agent makes. */
import { deepEqual } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { connect, type DayClient } from './client.ts'
import { carryOn, type FlowResult } from './flow.ts'

export interface DayOptions {
  readonly url: string
  /** A key that holds every role, such as the first boot's. */
  readonly key: string
  /** Told of each step: what was done, by which call, in how many milliseconds. */
  readonly print: (line: { step: number; what: string; call: string; ms: number }) => void
}

export interface DayResult {
  readonly tools: number
  readonly airports: number
  readonly text: string
  readonly labels: readonly string[]
  readonly reply: string
  readonly flow: FlowResult
}

export type Narrate = <T>(step: number, what: string, call: string, work: () => Promise<T>) => Promise<T>

const fixtures = join(import.meta.dirname, '../fixtures')

/** Plays steps 1 to 5. It can be played again: what was authored is found, and rows that are there are skipped. */
export async function playDay(options: DayOptions): Promise<DayResult> {
  const narrate: Narrate = async (step, what, call, work) => {
    const began = performance.now()
    const result = await work()
    options.print({ step, what, call, ms: performance.now() - began })
    return result
  }
  const client = await narrate(1, 'an agent connects', 'initialize', () => connect(options.url, options.key))
  try {
    const tools = await arrive(client, narrate)
    const airports = await importAirports(client, narrate)
    const { text, labels, eiRecordId } = await attachPhoto(client, narrate)
    const reply = await askFieldWorker(client, narrate, eiRecordId)
    const flow = await carryOn(client, narrate)
    return { tools, airports, text, labels, reply, flow }
  } finally {
    await client.close()
  }
}

async function arrive(client: DayClient, narrate: Narrate): Promise<number> {
  const tools = await narrate(1, 'lists its tools', 'tools/list', () => client.listTools())
  const index = await narrate(1, 'finds the documentation', 'docs_index', () => client.tool('docs_index'))
  const found = await narrate(1, 'searches it in its own words', 'docs_search', () =>
    client.tool('docs_search', { query: 'how do I get the text out of a photo?', limit: 3 }),
  )
  const path = found.hits[0]?.path ?? index.pages[0].path
  await narrate(1, `reads ${path}`, 'docs_read', () => client.tool('docs_read', { path }))
  const me = await narrate(1, 'asks who it is', 'whoami', () => client.tool('whoami'))
  if (typeof me.tenantId !== 'number') throw new Error('whoami told no tenant')
  return tools.length
}

const airportCatalog = {
  properties: [
    { internalName: 'AirportName', dataType: 'Text', displays: [{ languageCode: 'en-US', name: 'Airport name' }] },
    { internalName: 'City', dataType: 'Text' },
    { internalName: 'StateCode', dataType: 'Text' },
    { internalName: 'Country', dataType: 'Text' },
    { internalName: 'Latitude', dataType: 'Number', minValueOrLength: -90, maxValueOrLength: 90 },
    { internalName: 'Longitude', dataType: 'Number', minValueOrLength: -180, maxValueOrLength: 180 },
  ],
  entities: [
    {
      internalName: 'Airport',
      displays: [{ languageCode: 'en-US', name: 'Airport' }],
      properties: ['AirportName', 'City', 'StateCode', 'Country', 'Latitude', 'Longitude'].map((property) => ({ property })),
    },
  ],
}

const inspectionCatalog = {
  properties: [
    { internalName: 'InspectionTitle', dataType: 'Text' },
    { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['jpg', 'jpeg', 'png'] },
    { internalName: 'TextFound', dataType: 'Text' },
    { internalName: 'Shows', dataType: 'Text' },
  ],
  entities: [
    { internalName: 'GateInspection', properties: ['InspectionTitle', 'Photo', 'TextFound', 'Shows'].map((property) => ({ property })) },
  ],
}

export async function author(client: DayClient, narrate: Narrate, step: number, name: string, document: unknown): Promise<void> {
  const dictionary = await client.tool('get_dictionary')
  if (dictionary.entities.some((entity: { internalName: string }) => entity.internalName === name)) return
  await narrate(step, `authors ${name} in one call`, 'import_catalog', () =>
    client.tool('import_catalog', document as Record<string, unknown>),
  )
}

async function importAirports(client: DayClient, narrate: Narrate): Promise<number> {
  await author(client, narrate, 2, 'Airport', airportCatalog)
  const csv = await readFile(join(import.meta.dirname, '../../node_modules/vega-datasets/data/airports.csv'))
  const rows = csv.toString().trim().split('\n').length - 1
  const upload = await narrate(2, 'asks where to put a file', 'create_upload_url', () =>
    client.tool('create_upload_url', { fileName: 'airports.csv', mimeType: 'text/csv', sizeBytes: csv.length }),
  )
  await narrate(2, `puts ${rows} airports there (${Math.round(csv.length / 1024)} KiB)`, 'PUT', () =>
    client.put(upload.url, new Uint8Array(csv)),
  )
  const job = await narrate(2, 'imports them as records, in a job', 'import_instances', () =>
    client.tool('import_instances', {
      entity: 'Airport',
      assetKey: upload.assetKey,
      mapping: { key1: 'iata', AirportName: 'name', StateCode: 'state' },
    }),
  )
  const done = await narrate(2, 'awaits the job', 'await_job', () => awaitJob(client, job.jobId))
  if (done.state !== 'succeeded') throw new Error(`The import ended as ${done.state}: ${JSON.stringify(done)}`)
  const query = {
    filterRules: {
      logic: 'AND',
      rules: [
        { property: 'StateCode', op: 'eq', value: 'CA' },
        { property: 'Latitude', op: 'gt', value: 37 },
      ],
    },
    sort: [{ property: 'AirportName', direction: 'asc' }],
    pageSize: 5,
  }
  const page = await narrate(2, 'asks for Californian airports north of 37°, by name', 'list_instances', () =>
    client.tool('list_instances', { entity: 'Airport', ...query }),
  )
  const next = await narrate(2, 'and for the next page', 'list_instances', () =>
    client.tool('list_instances', { entity: 'Airport', ...query, cursor: page.nextCursor }),
  )
  if (
    next.items.some((row: { eiRecordId: number }) => page.items.some((seen: { eiRecordId: number }) => seen.eiRecordId === row.eiRecordId))
  )
    throw new Error('Two pages share a row')
  const rest = await narrate(2, 'gets the same JSON over REST', 'POST …/instances/list', () =>
    client.rest('POST', '/api/v1/entities/Airport/instances/list', { ...query, withDataJson: false }),
  )
  deepEqual(rest, page.items)
  const { count } = await client.tool('count_instances', { entity: 'Airport' })
  if (count !== rows) throw new Error(`${count} airports are there, the file has ${rows}`)
  return count
}

/** Awaits a job's end in turns, as a host with a limit on each call does. */
export async function awaitJob(
  client: DayClient,
  jobId: number,
  limitMs = 180_000,
): Promise<{ state: string; result?: Record<string, unknown> }> {
  const until = Date.now() + limitMs
  for (;;) {
    const job = await client.tool('await_job', { jobId, timeoutSeconds: 25 })
    if (!['queued', 'running'].includes(job.state)) return job
    if (Date.now() > until) throw new Error(`Job ${jobId} is still ${job.state}`)
  }
}

async function attachPhoto(client: DayClient, narrate: Narrate): Promise<{ text: string; labels: string[]; eiRecordId: number }> {
  await author(client, narrate, 3, 'GateInspection', inspectionCatalog)
  const entity = await client.tool('describe_entity', { entity: 'GateInspection' })
  const photoProperty = entity.properties.find((property: { propertyInternalName: string }) => property.propertyInternalName === 'Photo')
  await narrate(3, 'says what happens when a photograph is saved', 'set_attachment_analysis', () =>
    client.tool('set_attachment_analysis', {
      entity: 'GateInspection',
      entityPropertyId: photoProperty.entityPropertyId,
      ocr: true,
      classify: true,
      targets: { text: 'TextFound', topLabel: 'Shows' },
    }),
  )
  const bytes = await readFile(join(fixtures, 'recognition/sign.jpg'))
  const upload = await client.tool('create_upload_url', { fileName: 'gate.jpg', mimeType: 'image/jpeg', sizeBytes: bytes.length })
  await narrate(3, 'uploads a photograph with a sign on it', 'PUT', () => client.put(upload.url, new Uint8Array(bytes)))
  const saved = await narrate(3, 'saves it into a record; the save commits at once', 'save_instance', () =>
    client.tool('save_instance', {
      entity: 'GateInspection',
      key1: `gate-${Date.now()}`,
      data: { InspectionTitle: 'Harbour gate', Photo: upload.assetKey },
    }),
  )
  const [jobId] = saved.jobIds ?? []
  if (jobId === undefined) throw new Error('The save queued no analysis')
  await narrate(3, 'awaits recognition', 'await_job', () => awaitJob(client, jobId))
  const analysis = await narrate(3, 'reads what was recognised', 'get_attachment_analysis', () =>
    client.tool('get_attachment_analysis', { assetKey: upload.assetKey }),
  )
  if (analysis.state !== 'done') throw new Error(`The analysis ended as ${analysis.state}: ${analysis.reason}`)
  const record = await narrate(3, 'finds it in the record', 'get_instance', () =>
    client.tool('get_instance', { entity: 'GateInspection', record: String(saved.eiRecordId) }),
  )
  return {
    text: record.data.TextFound,
    labels: (analysis.labels ?? []).map((label: { label: string }) => label.label),
    eiRecordId: saved.eiRecordId,
  }
}

async function askFieldWorker(client: DayClient, narrate: Narrate, eiRecordId: number): Promise<string> {
  const worker = await narrate(4, 'finds or makes the field worker', 'find_or_create_user', () =>
    client.tool('find_or_create_user', { email: 'ana.field@example.com' }),
  )
  const issued = await client.tool('create_api_key', { name: 'Ana’s phone', roles: [], tenantUserId: worker.tenantUserId })
  const phone = await connect(client.url, issued.apiKey)
  try {
    const sent = await narrate(4, 'asks her about the record', 'send_message', () =>
      client.tool('send_message', {
        to: { tenantUserId: worker.tenantUserId },
        text: 'Is the harbour gate open?',
        card: {
          title: 'Harbour gate',
          choices: [
            { key: 'open', label: 'Open' },
            { key: 'shut', label: 'Shut' },
          ],
        },
        eiRecordId,
      }),
    )
    const waiting = narrate(4, 'awaits her reply', 'await_reply', () =>
      client.tool('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 25 }),
    )
    const inbox = await narrate(4, 'she finds the question in her inbox', 'list_inbox', () => phone.tool('list_inbox', { pageSize: 5 }))
    const question = inbox.messages.find((message: { messageId: number }) => message.messageId === sent.messageId)
    if (!question) throw new Error('The question is not in the inbox')
    await narrate(4, 'she answers', 'answer_inbox_message', () =>
      phone.tool('answer_inbox_message', { messageId: sent.messageId, choice: 'open', text: 'Open, the lock is new' }),
    )
    const replied = await waiting
    if (replied.timedOut || replied.messages.length !== 1) throw new Error(`The await gave ${JSON.stringify(replied)}`)
    const polled = await narrate(4, 'poll shows the same', 'poll_replies', () =>
      client.tool('poll_replies', { conversationId: sent.conversationId, afterSeq: sent.seq }),
    )
    deepEqual(polled.messages, replied.messages)
    const ended = await narrate(4, 'ends the conversation', 'end_conversation', () =>
      client.tool('end_conversation', { conversationId: sent.conversationId }),
    )
    if (ended.state !== 'ended') throw new Error('The conversation did not end')
    return replied.messages[0].text
  } finally {
    await phone.close()
    await client.tool('revoke_api_key', { apiKeyId: issued.apiKeyId })
  }
}
