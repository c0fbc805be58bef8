/** Every list that has pages ends them by bytes, and its cursor leads on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { bodyText } from '#platform/answer.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { advanceJob, queueJob, readJobForRun } from '#tools/jobs/service.ts'
import { findFlowVersion, openStep, recordWaiting } from '#tools/workflows/service.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { openWorld, type World } from './support/world.ts'

describe('every list that has pages', () => {
  let narrow: World
  async function makeForms(prefix: string) {
    const layoutJson = { sections: [{ type: 'detail', name: 'main', fields: [{ property: 'Name' }] }] }
    for (const name of ['One', 'Two']) await narrow.call('create_form', { entity: 'Thing', internalName: `${prefix}${name}`, layoutJson })
  }

  /** Things below one, or beside it. */
  async function makeRelated(entity: string, attach: 'attach_child_entity' | 'attach_peer_entity') {
    await narrow.call('create_entity', { internalName: entity, properties: [{ property: 'Name' }] })
    await narrow.call(attach, { entity: 'Thing', [attach === 'attach_child_entity' ? 'childEntity' : 'peerEntity']: entity, isList: true })
  }

  /** A form of its own, with a shortcut. */
  async function makeForm(form: string) {
    const layoutJson = { sections: [{ type: 'detail', name: 'main', fields: [{ property: 'Name' }] }] }
    await narrow.call('create_form', { entity: 'Thing', internalName: form, layoutJson })
    for (const internalName of [`${form}One`, `${form}Two`])
      await narrow.call('create_form_shortcut', { form, internalName, filterJson: [] })
    return form
  }

  /** Of each such list: what to call it with once two rows are there. */
  const arranged: Readonly<Record<string, () => Promise<object>>> = {
    list_instances: async () => ({ entity: 'Thing' }),
    list_views: async () => {
      for (const internalName of ['One', 'Two']) await narrow.call('save_view', { entity: 'Thing', internalName, viewJson: {} })
      return { entity: 'Thing' }
    },
    execute_view: async () => {
      await narrow.call('save_view', { entity: 'Thing', internalName: 'Run', viewJson: { columns: ['Name'] } })
      return { entity: 'Thing', view: 'Run' }
    },
    list_forms: async () => {
      await makeForms('All')
      return {}
    },
    list_entity_forms: async () => {
      await makeForms('Own')
      return { entity: 'Thing' }
    },
    list_form_records: async () => ({ form: await makeForm('Filled') }),
    list_form_shortcuts: async () => ({ form: await makeForm('Cut') }),
    list_form_shortcut_records: async () => ({ form: await makeForm('Kept'), shortcut: 'KeptOne' }),
    list_signed_links: async () => {
      const form = await makeForm('Linked')
      for (const name of ['ana', 'bob']) await narrow.call('create_signed_link', { form, to: { email: `${name}@example.org` } })
      return { form }
    },
    list_reports: async () => {
      for (const internalName of ['FirstReport', 'SecondReport'])
        await narrow.call('create_report', {
          internalName,
          definitionJson: { primaryEntityId: 'Thing', columns: [{ entity: 'Thing', property: 'Name' }] },
        })
      return {}
    },
    list_child_instances: async () => {
      await makeRelated('Below', 'attach_child_entity')
      for (const key1 of ['b1', 'b2']) await narrow.call('save_instance', { entity: 'Below', key1, parentKey1: 't1', data: { Name: key1 } })
      return { entity: 'Thing', record: 't1', childEntity: 'Below' }
    },
    list_peer_instances: async () => {
      await makeRelated('Beside', 'attach_peer_entity')
      const ids: number[] = []
      for (const key1 of ['p1', 'p2'])
        ids.push((await narrow.call('save_instance', { entity: 'Beside', key1, data: { Name: key1 } })).eiRecordId)
      await narrow.call('link_peer_instances', { entity: 'Thing', record: 't1', peerEntity: 'Beside', eiRecordIds: ids })
      return { entity: 'Thing', record: 't1', peerEntity: 'Beside' }
    },
    list_contexts: async () => {
      for (const internalName of ['FirstContext', 'SecondContext'])
        await narrow.call('create_context', { internalName, entity: 'Thing', includes: [] })
      return {}
    },
    list_context_tokens: async () => {
      await narrow.call('create_context', { internalName: 'OfTokens', entity: 'Thing', includes: [] })
      return { context: 'OfTokens' }
    },
    list_instances_as_of: async () => ({ entity: 'Thing', asOfDate: new Date(Date.now() + 60_000).toISOString() }),
    get_instance_history: async () => {
      await narrow.call('upsert_instance', { entity: 'Thing', record: 't1', data: { Name: 'another' } })
      return { entity: 'Thing', record: 't1' }
    },
    list_users: async () => {
      for (const name of ['ana', 'bob']) await narrow.call('create_user', { email: `${name}@example.com` })
      return {}
    },
    list_api_keys: async () => {
      for (const name of ['one', 'two']) await narrow.call('create_api_key', { name, roles: [] })
      return {}
    },
    // What the arrangements of the others did.
    list_audit_events: async () => ({}),
    list_tenants: async () => ({}),
    list_jobs: async () => {
      for (let n = 0; n < 2; n++) await startJob()
      return {}
    },
    get_job_log: async () => {
      const jobId = await startJob()
      const { services } = narrow.platform
      const { tenantId } = narrow.tenant
      const job = await readJobForRun(services, { tenantId, jobId, attempt: 1 })
      if (!job) throw new Error('The job has nothing to do')
      const log = ['a', 'b'].map((message) => ({ level: 'error' as const, message }))
      await inSystemTransaction(services, tenantId, (context) => advanceJob(context, job, { log }))
      return { jobId }
    },
    list_assets: async () => {
      for (const fileName of ['a.txt', 'b.txt'])
        await narrow.call('upload_asset', { fileName, contentBase64: Buffer.from(fileName).toString('base64') }, { transport: 'mcp' })
      return {}
    },
    list_message_templates: async () => {
      for (const internalName of ['FirstText', 'SecondText'])
        await narrow.call('save_message_template', { internalName, languageCode: 'en-US', text: 'The crew arrives.' })
      return {}
    },
    list_conversations: async () => {
      const { tenantUserId } = narrow.tenant
      for (const text of ['a', 'b']) await narrow.call('send_message', { to: { tenantUserId }, text })
      return {}
    },
    list_identity_links: async () => {
      await narrow.call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
      await narrow.call('create_entity', { internalName: 'Person', properties: [{ property: 'Email' }] })
      await narrow.call('create_user', { email: 'both@example.com' })
      await narrow.call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
      for (const key1 of ['p1', 'p2']) await narrow.call('save_instance', { entity: 'Person', key1, data: { Email: 'both@example.com' } })
      return { entity: 'Person' }
    },
    list_workflows: async () => {
      await makeWorkflow('FirstFlow')
      await makeWorkflow('SecondFlow')
      return {}
    },
    list_workflow_instances: async () => ({ workflow: (await makeRuns('Runs')).workflow }),
    list_my_tasks: async () => {
      const { runIds } = await makeRuns('Tasks')
      for (const runId of runIds) await beginTask(runId)
      return {}
    },
    get_workflow_instance_log: async () => {
      const [workflowInstanceId = 0] = (await makeRuns('Logged')).runIds
      await narrow.call('comment_workflow_instance', { workflowInstanceId, comment: 'Seen' })
      return { workflowInstanceId }
    },
    list_action_packs: async () => {
      await makePack('FirstPack')
      return {}
    },
    list_action_pack_installs: async () => {
      await makePack('InstalledPack')
      for (let n = 0; n < 2; n++) await narrow.call('install_action_pack', { actionPack: 'InstalledPack' })
      return {}
    },
    list_action_runs: async () => {
      await makePack('FiredPack')
      const { installId } = await narrow.call('install_action_pack', { actionPack: 'FiredPack' })
      for (let n = 0; n < 2; n++) await narrow.call('fire_action_pack_install', { installId })
      return { installId }
    },
    list_events: async () => ({ kinds: ['record.created'] }),
    list_event_subscriptions: async () => {
      for (const internalName of ['FirstHook', 'SecondHook']) await makeHook(internalName)
      return {}
    },
    list_event_deliveries: async () => {
      const { subscriptionId } = await makeHook('SampledHook')
      for (let n = 0; n < 2; n++) await narrow.call('test_event_subscription', { subscriptionId, timeoutSeconds: 0 })
      return { subscriptionId }
    },
  }
  const makeHook = (internalName: string) =>
    narrow.call('create_event_subscription', { internalName, url: 'https://hooks.invalid/pages', kinds: ['user.created'] })

  const makeWorkflow = (internalName: string) => {
    const steps = [{ internalName: 'check', stepType: 'approval', config: { question: 'Is it so?' } }]
    const displays = [{ languageCode: 'en-US', name: internalName }]
    return narrow.call('import_workflow', { internalName, displays, roles: [], steps, triggers: [] })
  }

  /** Two runs, which nobody carries on here. */
  async function makePack(internalName: string) {
    const steps = [{ internalName: 'nothing', stepType: 'decide', config: {} }]
    const triggers = [{ triggerType: 'manual', config: {} }]
    await narrow.call('create_action_pack', { internalName, version: '1.0.0', triggers, steps })
  }

  async function makeRuns(workflow: string) {
    await makeWorkflow(workflow)
    await narrow.call('publish_workflow', { workflow })
    const runIds: number[] = []
    for (let n = 0; n < 2; n++) runIds.push((await narrow.call('start_workflow', { workflow })).workflowInstanceId)
    return { workflow, runIds }
  }

  async function beginTask(runId: number) {
    const { services } = narrow.platform
    const { tenantId, tenantUserId } = narrow.tenant
    const order = { tenantId, runId, no: 1, path: { step: 'check', iteration: [] }, phase: 'begin' as const }
    const open = await openStep(services, findFlowVersion, order)
    if (!open) throw new Error('The run was not opened')
    await recordWaiting(services, open, { user: tenantUserId })
  }

  const paged = () =>
    narrow.platform.pipeline.registry.operations.filter((operation) => 'cursor' in operation.input.shape).map((operation) => operation.name)

  const startJob = async () => {
    const request = { kind: 'test', operation: 'x', requiredRoles: 'any' as const, input: {} }
    return (await inSystemTransaction(narrow.platform.services, narrow.tenant.tenantId, (context) => queueJob(context, request))).jobId
  }

  beforeAll(async () => {
    narrow = await openWorld({ MAX_ANSWER_BYTES: '1', MAX_MCP_ANSWER_BYTES: '1' })
    await narrow.call('create_property', { internalName: 'Name', dataType: 'Text' })
    await narrow.call('create_entity', { internalName: 'Thing', properties: [{ property: 'Name' }] })
    for (const key1 of ['t1', 't2']) await narrow.call('save_instance', { entity: 'Thing', key1, data: { Name: key1 } })
  })
  afterAll(() => narrow?.close())

  it('is arranged here', () => {
    expect(paged().sort()).toEqual(Object.keys(arranged).sort())
  })

  it.each(Object.keys(arranged))('keeps to the limit: %s answers one row, and the cursor leads to the next', async (name) => {
    const input = await arranged[name]?.()
    const key = name === 'list_tenants' ? (await narrow.newTenant(1023)).key : narrow.tenant.key
    const read = async (more: object) => {
      const answer = await narrow.run(name, { ...input, ...more }, { key })
      const body = JSON.parse(bodyText(answer))
      // A list of its own has its cursor beside it, an object within it.
      const { nextCursor } = (Array.isArray(body) || 'resultData' in body ? answer : body) as { nextCursor?: string }
      return { rows: (Array.isArray(body) ? body : (body.resultData ?? body.records)) as object[], nextCursor }
    }
    const first = await read({})
    expect(first).toEqual({ rows: [expect.anything()], nextCursor: expect.any(String) })
    const second = await read({ cursor: first.nextCursor })
    expect(second.rows).toHaveLength(1)
    expect(second.rows).not.toEqual(first.rows)
    // Where it says how many there are, it means all of them and not those of the page.
    const { totalCount = 2 } = (await narrow.run(name, { ...input, pageSize: 1 }, { key })) as { totalCount?: number }
    expect(totalCount).toBeGreaterThanOrEqual(2)
    const isNumbered = 'page' in (narrow.platform.pipeline.registry.byName.get(name)?.input.shape ?? {})
    const [path, suggestion] = isNumbered ? ['$.pageSize', '1'] : ['$.page', undefined]
    const code = isNumbered ? 'too_large' : 'invalid_input'
    await expect(read({ page: 1 })).rejects.toMatchObject({ code, issues: [{ path, ...(suggestion === undefined ? {} : { suggestion }) }] })
  })
})

describe('a far page of what access rules may hide', () => {
  let opened: PipelineWorld
  beforeAll(async () => {
    opened = await openPipelineWorld()
  })
  afterAll(() => opened?.close())

  it('is read in one statement where there are no rules, however many rows stand before it', async () => {
    const { sql, tenant } = opened.world
    const count = 3_000
    await sql`
      insert into platform.job (tenant_id, kind, operation, visible_to, depth, input)
      select ${tenant.tenantId}, 'test', 'x', '{0}', 0, '{}' from generate_series(1, ${count})`
    await sql`
      insert into platform.conversation (tenant_id, channel, address, created_date, last_message_date)
      select ${tenant.tenantId}, 'email', n || '@example.org', now(), now() from generate_series(1, ${count}) n`
    const statements: string[] = []
    const on = await opened.open({}, { onStatement: (text) => void statements.push(text) })
    for (const [name, table, id] of [
      ['list_jobs', /from platform\.job\b/, 'jobId'],
      ['list_conversations', /from platform\.conversation\b/, 'conversationId'],
    ] as const) {
      const idsOf = async (input: object): Promise<number[]> =>
        (await opened.call(name, input, { on })).map((row: Record<string, number>) => row[id])
      const all = [...(await idsOf({ pageSize: 1000, page: 3 }))]
      statements.length = 0
      expect(await idsOf({ pageSize: 10, page: 299 })).toEqual(all.slice(-20, -10))
      expect(statements.filter((text) => table.test(text))).toHaveLength(1)
    }
  })
})
