/**
 * Step 5 of the day: a workflow with a person in the middle, authored, published and watched with tools alone. A photograph that comes in starts a run, its text
 * decides, a person is asked, the answer is written, a report goes out, and a webhook tells another system, where the server may call this machine.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { connect, type DayClient } from './client.ts'
import type { Narrate } from './steps.ts'

export interface FlowResult {
  /** What the run wrote into the record. */
  readonly answer: string
  /** The report that the person got. */
  readonly report: string
  /** The diagram while the run waited for the person, as Mermaid. */
  readonly waitingDiagram: string
  /** Kinds of events that the other system was told; undefined where the server may not call this machine. */
  readonly told: readonly string[] | undefined
  /** The steps of the run, in the order of its log. */
  readonly done: readonly string[]
}

const step = 5
const limitMs = 180_000

const dockCatalog = {
  whenExists: 'skip',
  properties: [
    { internalName: 'InspectionTitle', dataType: 'Text' },
    { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['jpg', 'jpeg', 'png'] },
    { internalName: 'TextFound', dataType: 'Text' },
    { internalName: 'DockAnswer', dataType: 'Text' },
  ],
  entities: [
    {
      internalName: 'DockInspection',
      properties: ['InspectionTitle', 'Photo', 'TextFound', 'DockAnswer'].map((property) => ({ property })),
    },
  ],
}

const reviewOf = (tenantUserId: number) => ({
  internalName: 'DockReview',
  displays: [{ languageCode: 'en-US', name: 'Review of a dock' }],
  entity: 'DockInspection',
  roles: ['DataView', 'DataEdit'],
  steps: [
    {
      internalName: 'read',
      stepType: 'decide',
      config: {},
      branches: [{ when: [{ property: 'TextFound', op: 'contains', value: 'harbour' }], goTo: 'askCrew' }],
      next: 'end',
    },
    {
      internalName: 'askCrew',
      stepType: 'ask',
      config: {
        to: { tenantUserId },
        text: 'The sign of [[DockInspection.externalKey]] says "[[DockInspection.TextFound|truncate:80]]". Is the dock free?',
        choices: [
          { key: 'free', label: 'Free' },
          { key: 'taken', label: 'Taken' },
        ],
      },
      timeoutSeconds: 3_600,
    },
    {
      internalName: 'write',
      stepType: 'saveRecord',
      config: {
        entity: 'DockInspection',
        eiRecordId: '[[DockInspection.eiRecordId]]',
        values: { DockAnswer: '[[$steps.askCrew.choice]]' },
      },
    },
    {
      internalName: 'count',
      stepType: 'runReport',
      config: {
        definitionJson: {
          primaryEntityId: 'DockInspection',
          groupBy: [{ entity: 'DockInspection', property: 'DockAnswer' }],
          aggregates: [{ entity: 'DockInspection', fn: 'COUNT', alias: 'docks' }],
          filters: { logic: 'AND', rules: [{ entity: 'DockInspection', property: 'DockAnswer', op: 'isNotEmpty' }] },
        },
      },
    },
    {
      internalName: 'report',
      stepType: 'notify',
      config: {
        to: { tenantUserId },
        text: 'Docks so far: [[$steps.count.rows|pluck:data|sum:docks]], in [[$steps.count.totalCount]] kinds of answer.',
      },
    },
  ],
  triggers: [
    { internalName: 'photo', triggerType: 'attachmentSaved', config: { entity: 'DockInspection', property: 'Photo', when: 'analysed' } },
  ],
})

/** Another system, on this machine: takes every webhook and keeps its kind. */
async function openListener(): Promise<{ readonly url: string; readonly kinds: string[]; close(): void }> {
  const kinds: string[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      kinds.push((JSON.parse(body) as { type: string }).type)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/dock`, kinds, close: () => void server.close() }
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} did not come within ${limitMs / 1_000} s`)
    await new Promise((next) => setTimeout(next, 250))
  }
}

export async function carryOn(client: DayClient, narrate: Narrate): Promise<FlowResult> {
  const listener = await openListener()
  const crew = await narrate(step, 'finds or makes who is asked', 'find_or_create_user', () =>
    client.tool('find_or_create_user', { email: 'ben.field@example.com' }),
  )
  const issued = await client.tool('create_api_key', { name: 'Ben’s phone', roles: [], tenantUserId: crew.tenantUserId })
  const phone = await connect(client.url, issued.apiKey)
  const subscription = await subscribe(client, narrate, listener.url)
  try {
    await authorReview(client, narrate, crew.tenantUserId)
    const runs = await startByPhotograph(client, narrate)
    const waitingDiagram = await narrate(step, 'sees where the run is', 'get_workflow_diagram', async () =>
      until('The question', async () => {
        const run = await client.tool('get_workflow_instance', { workflowInstanceId: runs.workflowInstanceId })
        if (run.state !== 'waiting') return undefined
        const drawn = await client.tool('get_workflow_diagram', { workflow: 'DockReview', workflowInstanceId: runs.workflowInstanceId })
        return String(drawn.mermaid)
      }),
    )
    const question = await narrate(step, 'he finds the question in his inbox', 'list_inbox', () =>
      until('The question', async () => newest(await phone.tool('list_inbox', { pageSize: 5 }), runs.key)),
    )
    await narrate(step, 'he answers', 'answer_inbox_message', () =>
      phone.tool('answer_inbox_message', { messageId: question.messageId, choice: 'free' }),
    )
    await narrate(step, 'the run ends by itself', 'get_workflow_instance', () =>
      until('The end of the run', async () => {
        const { state, error } = await client.tool('get_workflow_instance', { workflowInstanceId: runs.workflowInstanceId })
        if (state === 'failed' || state === 'cancelled') throw new Error(`The run ended as ${state}: ${JSON.stringify(error)}`)
        return state === 'completed' ? true : undefined
      }),
    )
    const record = await client.tool('get_instance', { entity: 'DockInspection', record: String(runs.eiRecordId) })
    const report = await narrate(step, 'the report lies in his inbox', 'list_inbox', () =>
      until('The report', async () => newest(await phone.tool('list_inbox', { pageSize: 5 }), 'Docks so far')),
    )
    const log = await narrate(step, 'the log says why each step happened', 'get_workflow_instance_log', () =>
      client.tool('get_workflow_instance_log', { workflowInstanceId: runs.workflowInstanceId }),
    )
    const told =
      subscription === undefined
        ? undefined
        : await narrate(step, 'another system was told', 'POST (signed)', () =>
            until('The webhook', async () => (listener.kinds.includes('workflow.completed') ? listener.kinds : undefined)),
          )
    return {
      answer: record.data.DockAnswer,
      report: report.text,
      waitingDiagram,
      told,
      done: log.items.filter((entry: { event: string }) => entry.event === 'done').map((entry: { step: string }) => entry.step),
    }
  } finally {
    await phone.close()
    await client.tool('revoke_api_key', { apiKeyId: issued.apiKeyId })
    if (subscription !== undefined) await client.tool('delete_event_subscription', { subscriptionId: subscription })
    listener.close()
  }
}

/** The newest message of an inbox that holds a text. */
function newest({ messages }: { messages: { messageId: number; text: string }[] }, text: string) {
  return messages.find((message) => message.text.includes(text))
}

/** Undefined where the server may not call this machine: it does so only where OUTBOUND_ALLOW names it. */
async function subscribe(client: DayClient, narrate: Narrate, url: string): Promise<number | undefined> {
  const made = await narrate(step, 'tells another system what ends', 'create_event_subscription', () =>
    client.tool('create_event_subscription', { url, kinds: ['workflow.completed'] }).catch((error: unknown) => {
      if (String(error).includes('OUTBOUND_ALLOW')) return undefined
      throw error
    }),
  )
  return made?.subscriptionId
}

async function authorReview(client: DayClient, narrate: Narrate, tenantUserId: number): Promise<void> {
  await client.tool('import_catalog', dockCatalog)
  await client.tool('set_attachment_analysis', {
    entity: 'DockInspection',
    entityPropertyId: 'Photo',
    ocr: true,
    targets: { text: 'TextFound' },
  })
  const draft = await narrate(step, 'writes a workflow in one call', 'import_workflow', () =>
    client.tool('import_workflow', reviewOf(tenantUserId)),
  )
  const faults = draft.issues.filter((issue: { severity: string }) => issue.severity === 'error')
  if (faults.length > 0) throw new Error(`The workflow is not sound: ${JSON.stringify(faults)}`)
  await narrate(step, 'publishes it; its trigger is live', 'publish_workflow', () =>
    client.tool('publish_workflow', { workflow: 'DockReview' }),
  )
}

async function startByPhotograph(
  client: DayClient,
  narrate: Narrate,
): Promise<{ readonly eiRecordId: number; readonly key: string; readonly workflowInstanceId: number }> {
  const bytes = await readFile(join(import.meta.dirname, '../fixtures/recognition/sign.jpg'))
  const upload = await client.tool('create_upload_url', { fileName: 'dock.jpg', mimeType: 'image/jpeg', sizeBytes: bytes.length })
  await client.put(upload.url, new Uint8Array(bytes))
  const key = `dock-${Date.now()}`
  const saved = await narrate(step, 'a photograph comes in', 'save_instance', () =>
    client.tool('save_instance', { entity: 'DockInspection', key1: key, data: { InspectionTitle: 'Dock 4', Photo: upload.assetKey } }),
  )
  const run = await narrate(step, 'its text starts a run', 'list_workflow_instances', () =>
    until('The run', async () => {
      const { items } = await client.tool('list_workflow_instances', { workflow: 'DockReview', eiRecordId: saved.eiRecordId })
      return items[0]
    }),
  )
  return { eiRecordId: saved.eiRecordId, key, workflowInstanceId: run.workflowInstanceId }
}
