/** The guides, played: their calls in the order of the page on a tenant of its own, with the ids that the answers gave in place of the printed ones. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { type TestTenant, useWorld } from '#test/support/world.ts'
import { corpus } from '#tools/docs/service.ts'

const world = useWorld()

/** Guides that build on each other share a tenant. */
const walks = [
  ['the-day', 'importing-files'],
  [
    'authoring',
    'records',
    'filters-and-paging',
    'searching',
    'many-records',
    'views',
    'reports',
    'forms',
    'form-records',
    'signed-links',
    'context',
    'events',
    'history-and-sync',
    'messaging',
    'message-channels',
    'workflows',
    'triggers',
    'action-packs',
    'signing-in',
    'shipped-packs',
  ],
  ['attachments-and-recognition'],
  ['api-keys-and-roles'],
  ['tenants'],
  ['menu'],
  ['access'],
]

/** What needs more than is here: a worker that reads a file, or a site of somebody's. */
const needsMore = new Set(['recognize_text', 'set_tenant_branding_image'])

/** A task waits in a run, and no run is carried here. */
const namesTask = (name: string, text: string) => name === 'create_signed_link' && text.includes('"workflowInstanceId"')

/** What one call answers and a later one names. */
const noted = ['jobId', 'conversationId', 'messageId', 'tenantUserId', 'channelId', 'eiRecordId', 'token', 'installId']

interface Answers {
  /** The last value of each id that an answer or the test gave. */
  readonly ids: Map<string, unknown>
  /** The last record of each entity. */
  readonly records: Map<string, { eiRecordId: number; rowHash: string }>
  key: string
}

/** The input as a reader would send it: ids and files of their own, times that have been, and no patience. */
async function prepared(name: string, printed: Record<string, unknown>, answers: Answers): Promise<Record<string, unknown>> {
  const { ids, records } = answers
  const text = JSON.stringify(printed, (field, value: unknown) => {
    if (field === 'timeoutSeconds') return 0
    if (field === 'tenantId') return ids.get('tenantId')
    if (field === 'utc') return new Date().toISOString()
    if (field === 'entityPropertyId') return ids.get(`Photo of ${String(printed['entity'])}`)
    if (field === 'expectedRowHash') return records.get(String(printed['entity']))?.rowHash
    if (field === 'record' && /^\d+$/.test(String(value))) return String(records.get(String(printed['entity']))?.eiRecordId)
    return noted.includes(field) ? ids.get(field) : value
  }).replace(/"0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10"/g, () => JSON.stringify(ids.get('assetKey')))
  const input: Record<string, unknown> = JSON.parse(text)
  return name.startsWith('await_') ? { ...input, timeoutSeconds: 0 } : input
}

async function upload(tenant: TestTenant, fileName: string): Promise<string> {
  const file = fileName.endsWith('.csv') ? '../node_modules/vega-datasets/data/airports.csv' : 'fixtures/recognition/sign.jpg'
  const contentBase64 = (await readFile(join(import.meta.dirname, file))).toString('base64')
  const { assetKey } = await world.call('upload_asset', { fileName, contentBase64 }, { key: tenant.key, transport: 'mcp' })
  return assetKey
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the operation answers
function note(input: Record<string, any>, answer: any, { ids, records }: Answers): void {
  for (const id of noted) {
    // The guide tests the channel that it makes first.
    if ((answer?.[id] ?? undefined) !== undefined && !(id === 'channelId' && ids.has(id))) ids.set(id, answer[id])
  }
  if (answer?.jobIds?.[0] !== undefined) ids.set('jobId', answer.jobIds[0])
  if (answer?.eiRecordId !== undefined && answer.rowHash !== undefined) records.set(String(input['entity']), answer)
}

async function play(guide: string, tenant: TestTenant, answers: Answers): Promise<{ played: number; failures: string[] }> {
  const markdown = corpus.page(`guides/${guide}.md`)?.markdown ?? ''
  const failures: string[] = []
  let played = 0
  for (const [, name = '', text = ''] of markdown.matchAll(/^```json ([a-z_]+)\n([\s\S]*?)^```$/gm)) {
    if (needsMore.has(name) || namesTask(name, text)) continue
    played++
    try {
      const input = await prepared(name, JSON.parse(text), answers)
      const answer = await world.call(name, input, { key: answers.key })
      note(input, answer, answers)
      if (name === 'create_upload_url') answers.ids.set('assetKey', await upload(tenant, String(input['fileName'])))
      if (name === 'create_api_key' && input['tenantUserId'] !== undefined) answers.key = answer.apiKey
      else answers.key = tenant.key
      if (name === 'validate_catalog') await world.call('import_catalog', input, { key: tenant.key })
      for (const { internalName } of name === 'import_catalog' ? (input['entities'] as { internalName: string }[]) : []) {
        const { properties } = await world.call('describe_entity', { entity: internalName }, { key: tenant.key })
        const photo = properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === 'Photo')
        if (photo) answers.ids.set(`Photo of ${internalName}`, photo.entityPropertyId)
      }
    } catch (error) {
      failures.push(`${guide}: ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { played, failures }
}

describe('the guides', () => {
  it.each(walks.map((guides) => ({ guides })))('can be followed call by call: $guides', async ({ guides }) => {
    // Every role, since one of the guides provisions tenants.
    const tenant = await world.newTenant(1023)
    const answers: Answers = { ids: new Map([['tenantId', tenant.tenantId]]), records: new Map(), key: tenant.key }
    for (const guide of guides) {
      const { played, failures } = await play(guide, tenant, answers)
      expect(failures).toEqual([])
      expect(played).toBeGreaterThan(0)
    }
  })

  it('with calls are all played', () => {
    const withCalls = corpus.pages().filter(({ path, markdown }) => path.startsWith('guides/') && /^```json [a-z_]+$/m.test(markdown))
    expect(withCalls.map(({ path }) => path.slice('guides/'.length, -'.md'.length)).toSorted()).toEqual(walks.flat().toSorted())
  })
})
