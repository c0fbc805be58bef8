/** Calls that a program makes with generated types. It is only compiled: each line below @ts-expect-error is a call that must not compile. */
import createClient from 'openapi-fetch'

import type { components, paths } from './client.d.ts'

type Schemas = components['schemas']
type Listing = NonNullable<paths['/api/v1/entities/{entity}/instances/list']['post']['requestBody']>['content']['application/json']

const client = createClient<paths>({ baseUrl: 'https://ops.example.com', headers: { authorization: 'Bearer key' } })
const workOrders = { path: { entity: 'WorkOrder' } } as const

export async function saves(): Promise<number> {
  const { data, error, response } = await client.POST('/api/v1/entities/{entity}/instances', {
    params: { ...workOrders, header: { 'Idempotency-Key': 'order-1001' } },
    body: {
      key1: 'WO-1001',
      parentKey1: 'Pump-7',
      importMode: 'upsert',
      data: { Title: 'Replace the valve', Weight: 2.5, IsUrgent: true, DueOn: null, Photos: ['0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11'] },
    },
  })
  if (error) {
    if (error.code === 'already_exists' || error.code === 'idempotency_conflict') return 0
    const suggestion: string | undefined = error.issues?.[0]?.suggestion
    throw new Error(`${response.status} ${error.code} ${error.detail} ${suggestion ?? ''}`)
  }
  const outcome: 'inserted' | 'updated' | 'skipped' = data.outcome
  const title: Schemas['Value'] | undefined = data.data['Title']
  return outcome === 'inserted' && typeof title === 'string' ? data.eiRecordId : 0
}

export async function lists(): Promise<Schemas['Instance'][]> {
  const late: Schemas['FilterGroup'] = { logic: 'AND', rules: [{ property: 'DueOn', op: 'lt', value: '2026-03-01' }] }
  const { data = [], response } = await client.POST('/api/v1/entities/{entity}/instances/list', {
    params: workOrders,
    body: {
      filterRules: {
        logic: 'OR',
        rules: [{ property: 'Status', op: 'in', value: ['open', 'waiting'] }],
        groups: [late, { logic: 'AND', groups: [{ rules: [{ property: 'Weight', op: 'between', value: [1, 3] }] }] }],
      },
      sort: [{ property: 'modifiedDate', direction: 'desc' }],
      pageSize: 100,
    },
  })
  const cursor = response.headers.get('X-Next-Cursor')
  await client.POST('/api/v1/entities/{entity}/instances/count', {
    params: workOrders,
    body: { filterRules: [{ property: 'Status', op: 'isNotEmpty' }] },
  })
  return cursor === null ? data : []
}

export async function savesMany(): Promise<string[]> {
  const rows: Schemas['RecordRow'][] = [
    { key1: 'A', data: { Amount: 1 } },
    { key1: 'B', dataJson: '{"Amount":2}', expectedRowHash: '5F1C0A6E0D7B4F3D8C1E2A9B7D6C5E4F3A2B1C0D' },
  ]
  const { data } = await client.POST('/api/v1/entities/{entity}/instances/bulk', { params: workOrders, body: { rows } })
  return (data?.results ?? []).flatMap((result) => (result.outcome === 'failed' ? (result.errors ?? []).map((one) => one.message) : []))
}

export async function readsOrSaves(): Promise<string | undefined> {
  const record = { params: { path: { entity: 'WorkOrder', record: '20481' } } }
  const saved = await client.POST('/api/v1/entities/{entity}/instances/{record}', { ...record, body: { data: { Status: 'done' } } })
  const read = await client.POST('/api/v1/entities/{entity}/instances/{record}', record)
  return read.data?.rowHash === saved.data?.rowHash ? read.data?.externalKey : undefined
}

export async function models(): Promise<number | undefined> {
  const definition = {
    internalName: 'Priority',
    dataType: 'Choice' as const,
    propertyOptions: [{ internalName: 'Low' }, { internalName: 'Urgent', displays: [{ languageCode: 'en-US', name: 'Urgent' }] }],
  }
  const checked = await client.POST('/api/v1/properties/validate', { body: definition })
  if (checked.data?.valid !== true) return undefined
  const { data } = await client.POST('/api/v1/properties', { body: definition })
  await client.POST('/api/v1/catalog/import', {
    body: { entities: [{ internalName: 'Visit', properties: [{ property: 'Priority', isRequired: true }] }], whenExists: 'skip' },
  })
  const exported = await client.POST('/api/v1/catalog/export', { body: {} })
  const names: string[] | undefined = exported.data?.entities.map((entity) => entity.internalName)
  return names?.length === 0 ? undefined : data?.propertyId
}

export async function waits(): Promise<string> {
  const { data: job } = await client.POST('/api/v1/jobs/{jobId}/await', { params: { path: { jobId: 41 } }, body: { timeoutSeconds: 20 } })
  const inserted: number | undefined = job?.result?.inserted
  const sent = await client.POST('/api/v1/messaging/send', {
    body: { to: { tenantUserId: 12 }, card: { title: 'Gate 4', choices: [{ key: 'open', label: 'Open' }] } },
  })
  return sent.data?.status === 'suppressed' ? 'They do not want to be written to.' : `${inserted ?? 0} records`
}

export async function wrong(): Promise<void> {
  await client.POST('/api/v1/entities/{entity}/instances', {
    params: workOrders,
    // @ts-expect-error -- no value of a record is an object
    body: { data: { Title: { text: 'nested' } } },
  })
  // @ts-expect-error -- importMode takes three words
  await client.POST('/api/v1/entities/{entity}/instances', { params: workOrders, body: { data: {}, importMode: 'merge' } })
  // @ts-expect-error -- the entity is missing
  await client.POST('/api/v1/entities/{entity}/instances', { body: { data: {} } })
  await client.POST('/api/v1/entities/{entity}/instances/list', {
    params: workOrders,
    // @ts-expect-error -- there is no such operator
    body: { filterRules: { rules: [{ property: 'Status', op: 'equals', value: 'open' }] } },
  })
  await client.POST('/api/v1/entities/{entity}/instances/list', {
    params: workOrders,
    // @ts-expect-error -- a rule without a property, two groups down
    body: { filterRules: { groups: [{ groups: [{ rules: [{ op: 'isEmpty' }] }] }] } },
  })
  // @ts-expect-error -- a misspelt field
  const body: Listing = { pagesize: 5 }
  await client.POST('/api/v1/entities/{entity}/instances/list', { params: workOrders, body })
  // @ts-expect-error -- a key of a row is a text
  await client.POST('/api/v1/entities/{entity}/instances/bulk', { params: workOrders, body: { rows: [{ key1: 5 }] } })
  // @ts-expect-error -- there is no such type
  await client.POST('/api/v1/properties', { body: { internalName: 'Amount', dataType: 'Curency' } })
  // @ts-expect-error -- no such path
  await client.POST('/api/v1/entities/{entity}/records', { params: workOrders })
  const { data, error } = await client.POST('/api/v1/schema/whoami')
  // @ts-expect-error -- no such field in the answer
  const field: unknown = data?.nickname
  // @ts-expect-error -- this call never answers such a code
  const isStale: boolean = error?.code === 'stale_layout'
  await Promise.all([field, isStale])
}
