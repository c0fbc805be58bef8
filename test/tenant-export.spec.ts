/** Everything of a tenant as files: whole, without what opens anything, and however often it is interrupted. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { JobStopped, noteProgress, readJobForRun } from '#tools/jobs/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { readWhole, type VersionPlace } from '#tools/query/service.ts'
import { listTableRows, readShapes } from '#tools/tenants/export/export.store.ts'
import { exportedTables } from '#tools/tenants/export/tables.rules.ts'
import { tenantExportRunner, tenantExportRunnerOf } from '#tools/tenants/service.ts'

import { readArchive } from './support/archives.ts'
import { joinTenant, newPerson, newSession } from './support/persons.ts'
import { leastMs, longestTurn, turnLimitMs } from './support/turns.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

type Row = Readonly<Record<string, unknown>>
interface Manifest {
  readonly part: number
  readonly isLast: boolean
  readonly totals?: { readonly files: number; readonly rows: number; readonly sizeBytes: number }
  readonly files: readonly { readonly path: string; readonly rows?: number; readonly sizeBytes: number; readonly sha256: string }[]
  readonly leftOut: readonly { readonly what: string; readonly why: string }[]
}

const as =
  ({ key }: TestTenant) =>
  (name: string, input: object) =>
    world.call(name, input, { key, transport: 'mcp' })

async function bytesOf(assetKey: string, key = global.key): Promise<Buffer> {
  const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts)
}

async function jobOf(jobId: number) {
  const job = await readJobForRun(world.platform.services, { tenantId: global.tenantId, jobId, attempt: 1 })
  if (!job) throw new Error('The job has nothing to do')
  return job
}

/** Exports a tenant as a worker would; the archives, unpacked into one folder. */
async function exported({ tenantId }: TestTenant, runner = tenantExportRunner) {
  const { jobId } = await as(global)('export_tenant', { tenantId })
  let steps = 0
  while ((await runner.step(world.platform.services, await jobOf(jobId), new AbortController().signal)) === 'more') {
    steps++
    if (steps > 500) throw new Error('The export does not end')
  }
  const { state, result, progress } = await as(global)('get_job', { jobId })
  expect(state).toBe('succeeded')
  const files = new Map<string, Buffer>()
  for (const assetKey of result.assetKeys)
    for (const [path, content] of await readArchive(await bytesOf(assetKey))) {
      expect(files.has(path), `${path} stands twice`).toBe(false)
      files.set(path, content)
    }
  return { files, result, progress }
}

const rowsOf = (files: ReadonlyMap<string, Buffer>, path: string): Row[] =>
  (files.get(path)?.toString() ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const manifestsOf = (files: ReadonlyMap<string, Buffer>): Manifest[] =>
  [...files].filter(([path]) => path.startsWith('manifest.')).map(([, content]) => JSON.parse(content.toString()) as Manifest)

/** Orders with lines and peers, one of them changed, one deleted, a file, and rules that hide most of it from everybody. */
async function arranged() {
  const tenant = await world.newTenant()
  const call = as(tenant)
  await call('create_property', { internalName: 'Title', dataType: 'Text' })
  await call('create_property', { internalName: 'Cost', dataType: 'Currency', isSensitive: true })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  const propertyOptions = [{ internalName: 'open' }, { internalName: 'closed' }]
  await call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions })
  const attached = ['Title', 'Cost', 'Status', 'Photo'].map((property) => ({ property }))
  const { entityId } = await call('create_entity', { internalName: 'Order', properties: attached })
  await call('create_entity', { internalName: 'Line', properties: [{ property: 'Title' }] })
  await call('create_entity', { internalName: 'Empty' })
  await call('attach_child_entity', { entity: 'Order', childEntity: 'Line' })
  await call('attach_peer_entity', { entity: 'Order', peerEntity: 'Empty' })
  const contentBase64 = Buffer.from('the photo itself').toString('base64')
  const { assetKey } = await call('upload_asset', { fileName: 'Über: alles?.txt', contentBase64 })
  const order = await call('save_instance', {
    entity: 'Order',
    key1: 'A',
    data: { Title: 'Valve', Cost: 1.5, Status: 'open', Photo: assetKey },
  })
  await call('save_instance', { entity: 'Line', key1: 'A1', parentEIRecordId: order.eiRecordId, data: { Title: 'Bolt' } })
  const peer = await call('save_instance', { entity: 'Empty', key1: 'P', data: {} })
  const between = { entity: 'Order', record: String(order.eiRecordId), peerEntity: 'Empty', eiRecordIds: [peer.eiRecordId] }
  await call('link_peer_instances', between)
  await call('save_instance', { entity: 'Order', key1: 'A', data: { Status: 'closed' } })
  const gone = await call('save_instance', { entity: 'Order', key1: 'B', data: { Title: 'Gone' } })
  await call('delete_instance', { entity: 'Order', record: String(gone.eiRecordId) })
  await call('save_view', { entity: 'Order', internalName: 'Open', viewJson: { columns: [{ property: 'Title' }] } })
  await call('update_property', { property: 'Title', internalName: 'Heading' })
  await call('set_entity_access', { entity: 'Order', rules: [{ tenantUserId: tenant.tenantUserId, read: true, hidden: ['Heading'] }] })
  return { tenant, call, entityId, order, gone, peer, assetKey }
}

describe('an export of a tenant', () => {
  it('has the records with what rules hide, their history, peers and files, and definitions under today’s names', async () => {
    const { tenant, entityId, order, gone, peer, assetKey } = await arranged()
    const { files, result } = await exported(tenant)
    expect(result.assetKeys).toEqual([result.assetKey])
    const orders = `Order-${entityId}.jsonl`
    expect(rowsOf(files, `records/${orders}`)).toMatchObject([
      { eiRecordId: order.eiRecordId, key1: 'A', version: 2, data: { Heading: 'Valve', Cost: 1.5, Status: 'closed', Photo: assetKey } },
    ])
    expect(rowsOf(files, `history/${orders}`)).toMatchObject([
      { eiRecordId: order.eiRecordId, version: 1, validTo: expect.any(String), deletedDate: null, data: { Status: 'open' } },
      { eiRecordId: gone.eiRecordId, version: 1, validTo: expect.any(String), deletedDate: null },
      { eiRecordId: gone.eiRecordId, version: 2, validTo: null, deletedDate: expect.any(String), data: { Heading: 'Gone' } },
    ])
    const [line] = [...files.keys()].filter((path) => path.startsWith('records/Line-'))
    expect(rowsOf(files, line ?? '')).toMatchObject([{ parentEIRecordId: order.eiRecordId }])
    expect(rowsOf(files, 'links.jsonl')).toMatchObject([
      {
        eiRecordId: Math.min(order.eiRecordId, peer.eiRecordId),
        peerEIRecordId: Math.max(order.eiRecordId, peer.eiRecordId),
        unlinkedDate: null,
      },
    ])
    expect(files.get(`files/${assetKey}/Über_ alles_.txt`)?.toString()).toBe('the photo itself')
    expect(rowsOf(files, 'tables/asset.jsonl')).toMatchObject([{ assetKey, originalFileName: 'Über: alles?.txt' }])
    expect(rowsOf(files, 'definitions.jsonl')).toMatchObject([
      { kind: 'view', internalName: 'Open', body: { columns: [{ property: 'Heading' }] } },
      { kind: 'access' },
    ])
    expect(rowsOf(files, 'tables/audit_event.jsonl').map((row) => row['operation'])).toContain('export_tenant')
    expect(files.get('README.md')?.toString()).toContain('| tables/message.jsonl |')
  })

  it('tells of each file its rows, bytes and SHA-256, and what is left out and why', async () => {
    const { tenant } = await arranged()
    const { files, result, progress } = await exported(tenant)
    const [manifest] = manifestsOf(files)
    const told = new Map(manifest?.files.map((file) => [file.path, file]))
    const others = [...files].filter(([path]) => path !== 'manifest.json' && path !== 'README.md')
    expect(others.length).toBeGreaterThan(15)
    for (const [path, content] of others) {
      const sha256 = createHash('sha256').update(content).digest('hex')
      expect(told.get(path), path).toMatchObject({ sizeBytes: content.length, sha256 })
      const rows = path.endsWith('.jsonl') ? rowsOf(files, path).length : told.get(path)?.rows
      expect(told.get(path)?.rows, path).toBe(rows)
    }
    expect(told.size).toBe(others.length)
    const { assetKey: _key, assetKeys: _keys, ...totals } = result
    expect(manifest).toMatchObject({ part: 1, isLast: true, totals })
    expect(progress.done).toBe(totals.rows + totals.files)
    expect(manifest?.leftOut.find(({ what }) => what === 'api_key.key_hash')?.why).toBe('a secret')
  })

  it('brings a catalog that import_catalog takes', async () => {
    const { tenant } = await arranged()
    const { files } = await exported(tenant)
    const other = await world.newTenant()
    const made = await world.call('import_catalog', JSON.parse(files.get('catalog.json')?.toString() ?? ''), { key: other.key })
    expect(made).toMatchObject({ created: 7, skipped: 0 })
    const described = await world.call('describe_entity', { entity: 'Order' }, { key: other.key })
    expect(JSON.stringify(described)).toContain('"propertyInternalName":"Heading"')
  })

  it('goes on with a suspended tenant, and is its maker’s alone', async () => {
    const { tenant } = await arranged()
    await as(global)('suspend_tenant', { tenantId: tenant.tenantId })
    const { result } = await exported(tenant)
    const colleague = await global.keyWith(['GlobalAdmin', 'DataView'])
    await expect(bytesOf(result.assetKey, colleague)).rejects.toMatchObject({ status: 404 })
    expect(await as(global)('get_asset', { assetKey: result.assetKey })).toMatchObject({ isSensitive: true, mimeType: 'application/zip' })
    await as(global)('activate_tenant', { tenantId: tenant.tenantId })
    expect(await as(tenant)('list_audit_events', { operation: 'export_tenant' })).toMatchObject([{ outcome: 'done' }])
  })

  it('takes no earlier archive along', async () => {
    const { tenant } = await arranged()
    const { result } = await exported(tenant)
    const { files } = await exported(global)
    expect(rowsOf(files, 'tables/job.jsonl').length).toBeGreaterThan(0)
    expect([...files.keys()].filter((path) => path.includes(result.assetKey))).toEqual([])
    expect(files.get('tables/asset.jsonl')?.toString() ?? '').not.toContain(result.assetKey)
  })
})

describe('a large tenant', () => {
  it('gets several archives which have every row once, wherever one ends', async () => {
    const { tenant, call } = await arranged()
    const keys = Array.from({ length: 700 }, (_, index) => `K${index}`)
    await call('save_instances_bulk', { entity: 'Line', rows: keys.map((key1) => ({ key1, data: { Heading: key1 } })) })
    await call('delete_instances_bulk', { entity: 'Line', keys: keys.map((key1) => ({ key1 })) })
    await world.sql`
      insert into platform.audit_event (tenant_id, credential_id, operation, outcome, transport, request_id)
      select ${tenant.tenantId}, 'key:1', 'save_instance', 'done', 'rest', 'planted ' || n from generate_series(1, 4500) n`
    const { files, result } = await exported(tenant, tenantExportRunnerOf({ bytes: 1, ms: 600_000, files: 1_000 }))
    expect(result.assetKeys.length).toBeGreaterThan(20)
    const manifests = manifestsOf(files).toSorted((a, b) => a.part - b.part)
    expect(manifests.map(({ part }) => part)).toEqual(result.assetKeys.map((_key: string, index: number) => index + 1))
    expect(manifests.filter(({ isLast }) => isLast)).toHaveLength(1)
    const all = (beginning: RegExp) => [...files.keys()].filter((path) => beginning.test(path))
    const planted = all(/^tables\/audit_event\./).flatMap((path) => rowsOf(files, path).map((row) => String(row['requestId'])))
    expect(all(/^tables\/audit_event\./).length).toBeGreaterThan(2)
    expect(new Set(planted.filter((id) => id.startsWith('planted'))).size).toBe(4_500)
    expect(new Set(planted).size).toBe(planted.length)
    const deleted = all(/^history\/Line-/).flatMap((path) => rowsOf(files, path).filter((row) => row['validTo'] === null))
    expect(all(/^history\/Line-/).length).toBeGreaterThan(1)
    expect(new Set(deleted.map((row) => row['key1'])).size).toBe(700)
    expect(deleted).toHaveLength(700)
  })

  it('begins an archive with a file that might not be done in time', async () => {
    const { tenant, call, assetKey } = await arranged()
    const contentBase64 = Buffer.from('another').toString('base64')
    await call('upload_asset', { fileName: 'other.txt', contentBase64 })
    await world.sql`update platform.asset set size_bytes = 900000000 where tenant_id = ${tenant.tenantId}`
    const { files, result } = await exported(tenant, tenantExportRunnerOf({ bytes: 1_000_000, ms: 60_000, files: 1_000 }))
    const manifests = manifestsOf(files).toSorted((a, b) => a.part - b.part)
    expect(manifests.map((one) => one.files.filter(({ path }) => path.startsWith('files/')).length)).toEqual([0, 1, 1])
    expect(result.assetKeys).toHaveLength(3)
    expect([...files.keys()].filter((path) => path.startsWith(`files/${assetKey}/`))).toHaveLength(1)
  })

  it('is taken along from the archive under way after an interruption, and nothing of that one is left', async () => {
    const { tenant } = await arranged()
    const { services } = world.platform
    const { jobId } = await as(global)('export_tenant', { tenantId: tenant.tenantId })
    const runner = tenantExportRunnerOf({ bytes: 1, ms: 600_000, files: 1_000 })
    expect(await runner.step(services, await jobOf(jobId), new AbortController().signal)).toBe('more')
    const before = await jobOf(jobId)
    const archives = () => world.sql`
      select 1 from platform.asset where tenant_id = ${global.tenantId} and sub_path = 'tenant-exports'`
    const shown = await archives()
    await expect(runner.step(services, before, AbortSignal.abort(new Error('killed')))).rejects.toThrow()
    expect(await archives()).toHaveLength(shown.length)
    expect((await jobOf(jobId)).position).toEqual(before.position)
    while ((await runner.step(services, await jobOf(jobId), new AbortController().signal)) === 'more');
    expect(await as(global)('get_job', { jobId })).toMatchObject({ state: 'succeeded', result: { rows: expect.any(Number) } })
  })

  it('reads of long rows of a table no more than a page has room for', async () => {
    const { tenantId } = await world.newTenant()
    await world.sql`
      insert into platform.audit_event (tenant_id, credential_id, operation, outcome, transport, request_id, facts)
      select ${tenantId}, 'key:1', 'save_instance', 'done', 'rest', 'long ' || n,
        jsonb_build_object('long', (select string_agg(md5(n || ':' || m), '') from generate_series(1, 6000) m))
      from generate_series(1, 60) n`
    /** How many blocks of what lies outside the rows a page fetches, and how many rows it has. */
    const pageOf = (rows: number) =>
      inSystemTransaction(world.platform.services, tenantId, async ({ tx }) => {
        const blocks = async () => {
          const [row] = await tx<[{ blocks: number }]>`
            select pg_stat_get_xact_blocks_fetched(reltoastrelid)::int as blocks from pg_class where oid = 'platform.audit_event'::regclass`
          return row.blocks
        }
        const [shape] = await readShapes(
          tx,
          exportedTables.filter(({ table }) => table === 'audit_event'),
        )
        if (!shape) throw new Error('The log is no table of an export')
        const before = await blocks()
        const page = await listTableRows(tx, tenantId, shape, undefined, { rows, bytes: 1024 * 1024 })
        return { blocks: (await blocks()) - before, count: page.rows.length, hasMore: page.hasMore }
      })
    const [few, many] = [await pageOf(2), await pageOf(2_000)]
    expect([few.count, few.hasMore, many.hasMore]).toEqual([2, true, true])
    expect(few.blocks).toBeGreaterThan(0)
    expect(many.count).toBeLessThanOrEqual(5)
    expect(many.blocks / many.count).toBeLessThan(2 * (few.blocks / few.count))
  })

  it('takes records by their bytes, whatever those before them had', async () => {
    const tenant = await world.newTenant()
    const call = as(tenant)
    const names = ['One', 'Two', 'Three']
    for (const internalName of names) await call('create_property', { internalName, dataType: 'Text' })
    await call('create_entity', { internalName: 'Note', properties: names.map((property) => ({ property })) })
    const long = 'x'.repeat(32_000)
    const data = Object.fromEntries(names.map((name) => [name, long]))
    await call('save_instances_bulk', { entity: 'Note', rows: Array.from({ length: 70 }, (_, index) => ({ key1: `S${index}`, data: {} })) })
    for (let part = 0; part < 3; part++)
      await call('save_instances_bulk', {
        entity: 'Note',
        rows: Array.from({ length: 20 }, (_, index) => ({ key1: `L${part}-${index}`, data })),
      })
    const { services } = world.platform
    const taken: string[] = []
    let pages = 0
    for (let after: VersionPlace | undefined; ;) {
      const page = await inSystemTransaction(services, tenant.tenantId, async (context) => {
        const catalog = await cachedCatalog(context)
        const entity = catalog.byIdOrName.get('note')
        if (!entity) throw new Error('The kind is not there')
        return readWhole(context, catalog, entity, 'records', after)
      })
      pages++
      // The last line may pass the bytes of a page, and nothing behind it travels.
      expect(page.lines.reduce((sum, line) => sum + line.length, 0)).toBeLessThan(1024 * 1024 + 110_000)
      taken.push(...page.lines.map((line) => (JSON.parse(line) as { key1: string }).key1))
      after = page.next
      if (after === undefined) break
    }
    expect(pages).toBeGreaterThan(4)
    expect([taken.length, new Set(taken).size]).toEqual([130, 130])
  })

  it('holds up nobody while it is read and packed', async () => {
    const { tenant, call } = await arranged()
    const text = 'packed words '.repeat(400)
    for (let part = 0; part < 3; part++) {
      const rows = Array.from({ length: 1_000 }, (_, index) => ({ key1: `K${part}-${index}`, data: { Heading: `${index} ${text}` } }))
      expect(await call('save_instances_bulk', { entity: 'Line', rows })).toMatchObject({ inserted: 1_000 })
    }
    let jobId = 0
    const ms = await leastMs(async () => {
      ;({ jobId } = await as(global)('export_tenant', { tenantId: tenant.tenantId }))
      const job = await jobOf(jobId)
      const turn = await longestTurn(() => tenantExportRunner.step(world.platform.services, job, new AbortController().signal))
      expect(turn.result).toBe('done')
      return turn.ms
    })
    expect(ms).toBeLessThan(turnLimitMs)
    const { result } = await as(global)('get_job', { jobId })
    expect(result.sizeBytes).toBeGreaterThan(15_000_000)
    // Packed, it is far less.
    expect((await bytesOf(result.assetKey)).length).toBeLessThan(result.sizeBytes / 10)
  })

  it('tells how far it has come, and commits nothing by that: a step that ends its process twice is still found out', async () => {
    const { tenant } = await arranged()
    const { jobId } = await as(global)('export_tenant', { tenantId: tenant.tenantId })
    const job = await jobOf(jobId)
    const inTenant = (note: string) =>
      inSystemTransaction(world.platform.services, global.tenantId, (context) => noteProgress(context, job, { done: 7, note }))
    await inTenant('records/Order-1')
    expect(await as(global)('get_job', { jobId })).toMatchObject({ state: 'running', progress: { done: 7, note: 'records/Order-1' } })
    expect(await jobOf(jobId)).toMatchObject({ chunkNo: job.chunkNo, position: null })
    await as(global)('cancel_job', { jobId })
    await expect(inTenant('late')).rejects.toThrow(JobStopped)
  })

  it('is not gone on with by a release that has other tables: one of them would be left out unseen', async () => {
    const { tenant } = await arranged()
    const { services } = world.platform
    const { jobId } = await as(global)('export_tenant', { tenantId: tenant.tenantId })
    const runner = tenantExportRunnerOf({ bytes: 1, ms: 600_000, files: 1_000 })
    expect(await runner.step(services, await jobOf(jobId), new AbortController().signal)).toBe('more')
    const job = await jobOf(jobId)
    const position = { ...(job.position as { tables: string }), tables: 'person session' }
    await expect(runner.step(services, { ...job, position }, new AbortController().signal)).rejects.toMatchObject(
      refused('conflict', /Start export_tenant again/),
    )
  })

  it('is refused to who may no longer ask for it', async () => {
    const { tenant } = await arranged()
    const { jobId } = await as(global)('export_tenant', { tenantId: tenant.tenantId })
    const job = await jobOf(jobId)
    const input = { ...(job.input as object), roleFlag: 2 }
    await expect(tenantExportRunner.step(world.platform.services, { ...job, input }, new AbortController().signal)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('what opens anything', () => {
  it('is in no archive: nothing of what people sign in with, of keys, tokens and channels, nor of what they are elsewhere', async () => {
    const { tenant, call } = await arranged()
    const mark = randomUUID()
    const person = await newPerson(world, tenant, ['DataView'])
    const elsewhere = await world.newTenant()
    const otherUser = await joinTenant(world, person.userId, elsewhere)
    const session = await newSession(world, person)
    await world.sql`insert into platform.person_email (email, user_id) values (${`home-${mark}@people.test`}, ${person.userId})`
    await world.sql`insert into platform.person_factor (user_id, channel, name, sealed_secret, confirmed_date, created_date)
      values (${person.userId}, 'totp', ${`phone ${mark}`}, ${randomBytes(40)}, now(), now())`
    await world.sql`insert into platform.recovery_code (user_id, code_hash) values (${person.userId}, ${`code-${mark}`})`
    const { apiKey } = await call('create_api_key', { name: 'Planted', roles: ['DataView'] })
    const secretValue = `value-${mark}`
    await call('save_secret', { internalName: 'Vendor', value: secretValue, hosts: ['vendor.example'] })
    const authToken = randomBytes(16).toString('hex')
    await call('create_channel', {
      internalName: 'Texts',
      channel: 'sms',
      provider: 'twilio',
      settings: { accountSid: `AC${randomBytes(16).toString('hex')}`, from: '+15005550006' },
      secrets: { authToken },
    })
    const sections = [{ type: 'detail', name: 'all', fields: [{ property: 'Heading' }] }]
    await call('create_form', { entity: 'Line', internalName: 'LineForm', isShared: true, layoutJson: { sections } })
    const { url } = await call('create_signed_link', { form: 'LineForm', to: { email: 'guest@people.test' } })
    await world.sql`insert into platform.workflow_webhook (tenant_id, trigger_id, workflow_id, trigger_key, sealed_secret)
      values (${tenant.tenantId}, 1, 1, ${`trigger-${mark}`}, ${randomBytes(40)})`

    const { files } = await exported(tenant)
    const whole = Buffer.concat([...files.values()]).toString('latin1')
    const planted = [
      ['the password', person.password],
      ['the log-in name', person.userName],
      ['the session', session],
      ['the key', apiKey],
      ['the secret', secretValue],
      ['the channel’s secret', authToken],
      ['the link', String(url).split('/').at(-1) ?? ''],
      ['of the person elsewhere', mark],
    ]
    for (const [what, value] of planted) {
      expect(value?.length, what).toBeGreaterThan(8)
      expect(whole.includes(String(value)), what).toBe(false)
    }
    expect(rowsOf(files, 'tables/tenant_user.jsonl').map((row) => row['tenantUserId'])).not.toContain(otherUser)
    expect(rowsOf(files, 'tables/tenant_user.jsonl').every((row) => !('userId' in row))).toBe(true)
    expect(rowsOf(files, 'tables/secret.jsonl')).toMatchObject([{ internalName: 'Vendor', hosts: ['vendor.example'] }])

    // Every value in bytes that the database has for the tenant or the person, and every text that opens something, in each way to write it down.
    const columns = await world.sql<{ table: string; column: string; isTenants: boolean }[]>`
      select c.table_name as table, c.column_name as column,
        exists (select from information_schema.columns t where t.table_schema = 'platform' and t.table_name = c.table_name and t.column_name = 'tenant_id') as is_tenants
      from information_schema.columns c join information_schema.tables b using (table_schema, table_name)
      where c.table_schema = 'platform' and b.table_type = 'BASE TABLE'
        and (c.data_type = 'bytea' or (c.table_name, c.column_name) in (
          ('app_user', 'password_hash'), ('app_user', 'user_name'), ('recovery_code', 'code_hash'), ('signed_link', 'salt'), ('channel', 'channel_key'),
          ('workflow_webhook', 'trigger_key'), ('person_factor', 'credential_id'), ('person_email', 'email')))`
    expect(columns.length).toBeGreaterThan(15)
    let held = 0
    for (const { table, column, isTenants } of columns) {
      const ofPerson = isTenants ? `tenant_id = ${tenant.tenantId}` : 'user_id = any($1::int[])'
      const hasUser =
        isTenants ||
        (
          await world.sql`
        select 1 from information_schema.columns where table_schema = 'platform' and table_name = ${table} and column_name = 'user_id'`
        ).length > 0
      const rows = hasUser
        ? await world.sql.unsafe<{ value: Buffer | string | null }[]>(
            `select "${column}" as value from platform."${table}" where ${ofPerson}`,
            isTenants ? [] : [[person.userId]],
          )
        : []
      for (const { value } of rows) {
        if (value === null) continue
        held++
        const forms =
          typeof value === 'string' ? [value] : (['hex', 'base64', 'base64url', 'latin1'] as const).map((form) => value.toString(form))
        for (const form of forms) {
          expect(whole.includes(form), `${table}.${column}`).toBe(false)
          expect(whole.includes(form.toUpperCase()), `${table}.${column}`).toBe(false)
        }
      }
    }
    expect(held).toBeGreaterThan(10)
  })
})
