/** Every reading operation of the registry against a record that must stay unseen, so that a new operation cannot be forgotten. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { bodyText, isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'
import { buildRegistry } from '#platform/registry.ts'
import { roleNames } from '#platform/roles.ts'
import { domains } from '#tools/index.ts'
import { findFlowVersion, openStep, recordWaiting } from '#tools/workflows/service.ts'

import { openWorld, type World } from './support/world.ts'

const readers = buildRegistry(domains).operations.filter((operation) => operation.effect === 'read' && operation.roleRule.needsCredential)

/**
 * Operations whose answers hold nothing of records, and why. What is neither here nor shows the record to who may see it has to be decided: give it an
 * input below that shows the record, or a line here.
 */
const words = (text: string) => text.split(/\s+/)
const tellNothing: Readonly<Record<string, readonly string[]>> = {
  documents: words(
    'docs_index docs_read docs_search list_event_kinds list_models get_schema list_languages list_time_zones list_verticals list_trigger_types',
  ),
  definitions: words(
    `
    list_categories get_dictionary export_catalog browse_catalog validate_catalog list_properties describe_property list_property_options
    get_property_usage validate_property test_property_value list_property_option_filters list_entities describe_entity validate_entity
    get_entity_usage list_entity_relationships get_entity_access list_views get_view validate_view list_contexts get_context
    validate_context list_context_tokens validate_form list_forms list_entity_forms
    get_form list_form_versions get_form_schema generate_form list_form_shortcuts get_form_shortcut list_reports get_report validate_report
    list_action_packs describe_action_pack validate_action_pack list_action_pack_installs
    list_workflows get_workflow get_workflow_step validate_workflow list_workflow_versions export_workflow get_workflow_diagram
    list_message_templates`.trim(),
  ),
  'tenants, users and keys': words(
    `
    whoami list_tenants get_tenant get_tenant_usage get_tenant_branding list_tenant_languages get_sign_in_policy get_identity_provider
    list_email_templates preview_email_template find_api_keys
    list_users get_user list_roles list_api_keys list_secrets list_channels get_contact_preferences`.trim(),
  ),
  'a menu, whose items lead to definitions': words('list_menu_items get_menu_item get_menu_tree list_menu_targets list_home_areas'),
  'what was done, by ids alone, for who administers users': ['list_audit_events'],
  'how many there are, tested apart': ['count_instances', 'get_action_center_summary'],
  'what is wrong with a row, held against what a save says': words(
    'validate_instance validate_form_record validate_form_record_multi validate_form_record_multi_update',
  ),
  'a person’s own, which no key may call': ['list_sessions', 'list_second_factors', 'list_connected_apps', 'get_profile'],
  'messages to the caller alone': ['list_inbox'],
  'replies, of which there are none; the conversation is asked for apart': ['await_reply', 'poll_replies', 'get_message_status'],
  'lines of a job, which has none here; the job is asked for apart': ['get_job_log'],
  'a worker, of which none runs here; the file is asked for apart': ['recognize_text', 'classify_image'],
  'what a report would cost, without numbers for whom rules bind; the report is asked for apart': ['explain_report'],
  'a URL that says nothing but the name of the file': ['sign_asset_url'],
  'what happened to any record, those of open entities among them; tested with events': ['list_events'],
  'what was sent, by ids alone; the events are asked for apart': ['list_event_subscriptions', 'list_event_deliveries'],
}

let world: World
/** Whoever sees the record, and somebody with every role and no rule. */
let seeing: string
let bound: string
const marker = `unseen${randomUUID().slice(0, 8)}`
let shown: RegExp
/** Without what stands below and beside the person: by itself everybody sees that. */
let shownOfPerson: RegExp
let values: Record<string, unknown>

beforeAll(async () => {
  world = await openWorld()
  const tenant = await world.newTenant(1023)
  seeing = tenant.key
  bound = await tenant.keyWith([...roleNames])
  const call = (name: string, input: object) =>
    world.call(name, input, { key: seeing, transport: name === 'upload_asset' ? 'mcp' : 'rest' })
  await call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
  await call('create_property', { internalName: 'Note', dataType: 'Text' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  const attached = ['Email', 'Note', 'Photo'].map((property) => ({ property }))
  const { entityId } = await call('create_entity', { internalName: 'Person', properties: attached })
  await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
  await call('set_attachment_analysis', { entity: 'Person', entityPropertyId: 'Photo', ocr: true })
  await call('save_view', { entity: 'Person', internalName: 'All', isShared: true, viewJson: {} })
  const sections = [{ type: 'detail', name: 'all', fields: [{ property: 'Note' }] }]
  await call('create_form', { entity: 'Person', internalName: 'PersonForm', isShared: true, layoutJson: { sections } })
  await call('create_form_shortcut', { form: 'PersonForm', internalName: 'Everybody', isShared: true, filterJson: [] })
  await call('create_report', {
    internalName: 'Notes',
    isShared: true,
    definitionJson: { primaryEntityId: 'Person', columns: [{ property: 'Note' }] },
  })
  const about = { internalName: 'AboutPerson', languageCode: 'en-US', entity: 'Person', text: 'It says [[Person.Note]].' }
  await call('save_message_template', about)
  await call('create_context', { internalName: 'People', entity: 'Person', includes: [], reports: [{ name: 'notes', report: 'Notes' }] })
  const user = await call('create_user', { userName: 'linked', email: 'linked@people.test', roles: ['DataView'] })
  const contentBase64 = Buffer.from(`of ${marker}`).toString('base64')
  const { assetKey } = await call('upload_asset', { fileName: `${marker}.txt`, contentBase64 })
  const data = { Email: 'linked@people.test', Note: marker, Photo: assetKey }
  const saved = await call('save_instance', { entity: 'Person', key1: marker, data })
  const { eiRecordId } = saved
  await world.sql`update platform.job set result = ${world.sql.json({ assetKey, eiRecordId })} where job_id = ${saved.jobIds[0]}`
  await call('create_entity', { internalName: 'Badge' })
  await call('attach_child_entity', { entity: 'Person', childEntity: 'Badge' })
  const badge = await call('save_instance', { entity: 'Badge', key1: 'badge', parentEIRecordId: eiRecordId, data: {} })
  const gone = await call('save_instance', { entity: 'Person', key1: `${marker}-gone`, data: { Note: marker } })
  await call('delete_instance', { entity: 'Person', record: String(gone.eiRecordId) })
  await call('create_entity', { internalName: 'Circle' })
  await call('attach_peer_entity', { entity: 'Person', peerEntity: 'Circle' })
  const circle = await call('save_instance', { entity: 'Circle', key1: 'c', data: {} })
  await call('link_peer_instances', {
    entity: 'Person',
    record: String(eiRecordId),
    peerEntity: 'Circle',
    eiRecordIds: [circle.eiRecordId],
  })
  const sent = await call('send_message', { to: { tenantUserId: user.tenantUserId }, text: `About ${marker}`, eiRecordId })
  await call('create_signed_link', { form: 'PersonForm', to: { email: 'guest@people.test' }, eiRecordId })
  const { workflowInstanceId } = await call('start_workflow', {
    workflow: await publishedWorkflow(call),
    eiRecordId,
    input: { note: marker },
  })
  await taskOf(tenant, workflowInstanceId)
  const read = { internalName: 'read', stepType: 'getRecord', config: { entity: 'Person', key1: marker } }
  const displays = [{ languageCode: 'en-US', name: 'Read' }]
  await call('import_workflow', { internalName: 'Read', displays, roles: ['DataView'], steps: [read], triggers: [] })
  const installId = await installedPack(call)
  const { actionRunId } = await call('fire_action_pack_install', {
    installId,
    eiRecordId,
    input: { note: marker },
  })
  await call('set_entity_access', {
    entity: 'Person',
    rules: [{ tenantUserId: tenant.tenantUserId, read: true, create: true, edit: true, delete: true, seesSensitive: true }],
  })
  await world.settled()
  const now = new Date(Date.parse(saved.modifiedDate)).toISOString()
  const { conversationId, messageId } = sent
  values = {
    entity: 'Person',
    record: String(eiRecordId),
    key1: marker,
    view: 'All',
    context: 'People',
    template: 'AboutPerson',
    eiRecordId,
    form: 'PersonForm',
    shortcut: 'Everybody',
    text: '[[Person.Note]]',
    property: 'Note',
    utc: now,
    asOfDate: now,
    assetKey,
    conversationId,
    messageId,
    tenantUserId: user.tenantUserId,
    tenantId: tenant.tenantId,
    timeoutSeconds: 0,
    jobId: saved.jobIds[0],
    path: 'guides/records.md',
    query: marker,
    values: [marker],
    aggregates: [{ fn: 'MAX', property: 'Note' }],
    childEntity: 'Badge',
    definitionJson: { primaryEntityId: 'Person', columns: ['Note'] },
    report: 'Notes',
    workflowInstanceId,
    workflow: 'Read',
    actionRunId,
    installId,
  }
  expect(entityId).toBeGreaterThan(0)
  shownOfPerson = new RegExp(`${marker}|"eiRecordId"\\s*:\\s*(?:${eiRecordId}|${gone.eiRecordId})\\b|${assetKey}`)
  shown = new RegExp(
    `${marker}|"eiRecordId"\\s*:\\s*(?:${eiRecordId}|${gone.eiRecordId}|${badge.eiRecordId}|${circle.eiRecordId})\\b|${assetKey}`,
  )
})

afterAll(async () => world?.close())

async function publishedWorkflow(call: (name: string, input: object) => Promise<unknown>): Promise<string> {
  const steps = [{ internalName: 'check', stepType: 'approval', config: { question: 'Is it so?' } }]
  const input = [{ name: 'note', dataType: 'Text' }]
  const displays = [{ languageCode: 'en-US', name: 'Look' }]
  await call('import_workflow', { internalName: 'Look', displays, entity: 'Person', roles: ['DataView'], input, steps, triggers: [] })
  await call('publish_workflow', { workflow: 'Look' })
  return 'Look'
}

async function installedPack(call: (name: string, input: object) => Promise<{ installId?: number }>): Promise<number | undefined> {
  const steps = [{ internalName: 'read', stepType: 'getRecord', config: { entity: 'Person', key1: marker } }]
  const triggers = [{ triggerType: 'manual', config: {} }]
  const roles = ['DataView']
  await call('create_action_pack', { internalName: 'Look', version: '1.0.0', entity: 'Person', roles, triggers, steps })
  return (await call('install_action_pack', { actionPack: 'Look' })).installId
}

/** No worker runs here: the step of the run begins to wait for whoever sees the record. */
async function taskOf({ tenantId, tenantUserId }: { tenantId: number; tenantUserId: number }, runId: number): Promise<void> {
  const { services } = world.platform
  const open = await openStep(services, findFlowVersion, { tenantId, runId, no: 1, path: { step: 'check', iteration: [] }, phase: 'begin' })
  if (!open) throw new Error('The run was not opened')
  await recordWaiting(services, open, { user: tenantUserId })
}

function inputOf({ inputSchema, pathParams }: (typeof readers)[number]): Record<string, unknown> {
  const required = Array.isArray(inputSchema['required']) ? (inputSchema['required'] as string[]) : []
  const known = Object.keys(inputSchema['properties'] as object)
  const filled = known.includes('template') ? ['template', 'eiRecordId'] : []
  const names = [
    ...required,
    ...pathParams,
    ...filled,
    ...['key1', 'timeoutSeconds', 'conversationId'].filter((name) => known.includes(name)),
  ]
  return Object.fromEntries([...new Set(names)].map((name) => [name, values[name]]))
}

/** What an operation answers to a key, as text. */
async function answer(operation: (typeof readers)[number], key: string, transport: 'rest' | 'mcp'): Promise<string> {
  const found = await world.run(operation.name, inputOf(operation), { key, transport })
  if (isListing(found)) return bodyText(found)
  if (typeof found !== 'object' || found === null || !('body' in found)) return bodyText(found)
  // The bytes of a file.
  const chunks: Buffer[] = []
  for await (const chunk of found.body as AsyncIterable<Buffer>) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const quiet = new Set(Object.values(tellNothing).flat())
const telling = readers.filter((operation) => !quiet.has(operation.name))

describe('of a record that a caller must not see', () => {
  it('is decided for every reading operation what it tells', () => {
    expect(telling.length).toBeGreaterThan(14)
    expect([...quiet].filter((name) => !readers.some((operation) => operation.name === name))).toEqual([])
  })

  describe.each(telling.map((operation) => ({ name: operation.name, operation })))('$name', ({ operation }) => {
    it.each(['rest', 'mcp'] as const)('tells who sees it, and nobody else, over %s', async (transport) => {
      // Where this fails for a new operation: give it an input that shows the record, or a line above that says why it cannot.
      const own = operation.name === 'list_events' ? shownOfPerson : shown
      expect(await answer(operation, seeing, transport)).toMatch(own)
      const told = await answer(operation, bound, transport).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        expect([400, 404]).toContain(error.status)
        return ''
      })
      expect(told).not.toMatch(own)
    })
  })

  it.each(['get_message_status', 'poll_replies', 'await_reply', 'sign_asset_url', 'get_job_log'])(
    '%s answers as if it were not there',
    async (name) => {
      const operation = readers.find((one) => one.name === name)
      if (!operation) throw new Error(`There is no ${name}`)
      await answer(operation, seeing, 'rest')
      await expect(answer(operation, bound, 'rest')).rejects.toMatchObject({ status: 404 })
    },
  )

  it('counts none, and takes its file into no other place', async () => {
    const { entity, assetKey } = values
    expect(await world.call('count_instances', { entity }, { key: seeing })).toEqual({ count: 1 })
    expect(await world.call('count_instances', { entity }, { key: bound })).toEqual({ count: 0 })
    const exported = await world.call('export_view', { entity, view: 'All', format: 'json' }, { key: bound })
    expect(exported.rows).toBe(0)
    expect((await world.call('export_instances', { entity, format: 'json' }, { key: bound })).rows).toBe(0)
    expect((await world.call('export_instances', { entity, format: 'json' }, { key: seeing })).rows).toBe(1)
    await world.call('create_entity', { internalName: 'Album', properties: [{ property: 'Photo' }] }, { key: seeing })
    const taking = (key: string) => world.call('save_instance', { entity: 'Album', key1: 'mine', data: { Photo: assetKey } }, { key })
    await expect(taking(bound)).rejects.toMatchObject({ status: 400 })
    expect((await taking(seeing)).outcome).toBe('inserted')
    for (const name of ['recognize_text', 'classify_image']) {
      const refused = world.call(name, { assetKey }, { key: bound })
      await expect(refused).rejects.toMatchObject({ status: 400, message: 'The asset that was named does not exist.' })
    }
    await expect(world.call('delete_asset', { assetKey }, { key: bound })).rejects.toMatchObject({ status: 404 })
  })
})
