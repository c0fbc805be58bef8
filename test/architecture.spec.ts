import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { buildRegistry } from '#platform/registry.ts'
import { domains } from '#tools/index.ts'
import { channelKinds } from '#tools/messaging/messaging.schema.ts'
import { providerNames } from '#tools/messaging/providers/index.ts'
import { exportedTables, leftOutTables, tablesElsewhere } from '#tools/tenants/export/tables.rules.ts'

import { listedOperations } from './contract/table.ts'
import { packageRooms } from './support/package-rooms.ts'
import { files, type Import, imports, root, textOf, under } from './support/sources.ts'
import { sqlUsesOf } from './support/sql-uses.ts'

const domainOf = (path: string) => (under(path, 'tools') ? path.split('/')[1] : undefined)
const isDoor = (path: string) => /\/service\.ts$|\.(?:schema|types)\.ts$/.test(path)

function packageProblemOf({ from, to }: Import): string | undefined {
  if (under(from, 'workflows')) return to === '@temporalio/workflow' ? undefined : 'a workflow imports only @temporalio/workflow and shapes'
  if (to.startsWith('node:')) return undefined
  const room = packageRooms[to]
  if (!room) return 'the package has no room: give it one in test/support/package-rooms.ts'
  return room(from) ? undefined : 'the package belongs to another room'
}

/** Why an import may not stand; undefined when it may. */
function problemOf(one: Import): string | undefined {
  const { from, to, isPackage, isType } = one
  if (isPackage) return packageProblemOf(one)
  if (under(from, 'platform/flow'))
    return under(to, 'platform/flow') || under(to, 'platform/shapes') ? undefined : 'the logic of runs is pure'
  if (under(from, 'platform')) return under(to, 'platform') ? undefined : 'the platform knows no room above it'
  if (under(from, 'tools')) {
    if (under(to, 'platform')) return undefined
    if (!under(to, 'tools')) return 'tools stand on the platform alone'
    if (from === 'tools/index.ts' || domainOf(from) === domainOf(to)) return undefined
    return isDoor(to) ? undefined : 'domains meet at service.ts, *.schema.ts and *.types.ts'
  }
  if (under(from, 'workflows')) {
    if (under(to, 'workflows') || under(to, 'platform/shapes') || under(to, 'platform/flow')) return undefined
    if (isType && (under(to, 'activities') || under(to, 'platform/tokens'))) return undefined
    return 'a workflow imports only shapes, the logic of runs, and types of activities and tokens'
  }
  if (under(from, 'activities')) {
    if (under(to, 'platform') || under(to, 'activities')) return undefined
    // What calls a vendor goes by that vendor's literal: through the door each provider would be named in one more file.
    if (under(from, 'activities/messaging/providers') && under(to, 'tools/messaging/providers')) return undefined
    return under(to, 'tools') && to.endsWith('/service.ts') ? undefined : 'activities come in by a domain’s service'
  }
  if (from === 'server/main.ts') return undefined
  const room = from.split('/').slice(0, 2).join('/')
  if (under(to, room) || under(to, 'platform')) return undefined
  if (to === 'tools/index.ts') return undefined
  // The portal is a second front of the same operations, and its pages look like the others.
  if (room === 'server/portal' && (under(to, 'server/http') || under(to, 'server/pages'))) return undefined
  if (room === 'server/worker' && under(to, 'activities')) return undefined
  if (
    (room === 'server/worker' ||
      room === 'server/mail' ||
      room === 'server/docs' ||
      room === 'server/pages' ||
      room === 'server/portal' ||
      room === 'server/oauth') &&
    under(to, 'tools') &&
    isDoor(to)
  )
    return undefined
  return 'rooms of the server do not meet'
}

const words = (text: string) => text.split(' ')

/**
 * Whose a table is: the one domain, or room, that writes it. Who needs a fact of it asks the owner's `service.ts`. `records` are the tables of records
 * with their histories; what the product alone fills is read by everybody.
 */
const tables: Readonly<Record<string, readonly string[]>> = {
  'action-packs': words('action_pack action_pack_install action_pack_secret action_pack_version'),
  product: ['language', 'vertical'],
  platform: [
    'attempt',
    'audit_event',
    'credential_change',
    'drop_audit_events',
    'tenant_calls',
    'event',
    'idempotency_key',
    'note_credential_change',
    'outbox',
    'person_mail',
    'record_block',
    'watermark_epoch',
  ],
  assets: ['asset', 'asset_receiver'],
  auth: words(
    'api_key app_user factor_code find_keys identity_provider list_keys_of_person oauth_client oauth_grant oauth_pending oauth_token passkey_challenge person_email person_factor provider_account recovery_code secret session sign_in sign_in_policy',
  ),
  definitions: ['definition', 'definition_use'],
  entities: ['detached_property', 'entity', 'entity_display', 'entity_property', 'entity_relation', 'identity_claim', 'identity_link'],
  events: ['event_delivery', 'event_subscription', 'event_watcher'],
  forms: ['form', 'form_layout', 'signed_link'],
  instances: ['import_preview', 'records', 'records.link'],
  intelligence: ['analysis_target', 'attachment_analysis'],
  jobs: ['job', 'job_log'],
  mails: ['email_template'],
  menu: ['menu_item', 'menu_item_display'],
  messaging: words(
    'channel channel_address channel_link_code channel_receipt contact_preference conversation conversation_way handset_plan inbox_counter message message_attempt message_consent message_fallback message_media opt_out scheduled_message',
  ),
  properties: ['property', 'property_display', 'property_option', 'property_option_display', 'property_option_filter'],
  query: ['file_holder', 'record_index', 'record_use'],
  schedules: ['schedule'],
  schema: ['category', 'publisher'],
  tenants: ['tenant'],
  users: words(
    'factor_reset person_link tenant_user user_contact add_person count_users ensure_user has_second_factor is_member_elsewhere persons_with_factor rename_user set_first_log_in set_login_email set_password',
  ),
  views: ['view_sync'],
  workflows: words(
    'trigger_cause trigger_clock trigger_delivery trigger_firing workflow workflow_log workflow_once workflow_run workflow_signal workflow_step_run workflow_trigger workflow_version workflow_webhook',
  ),
}

/** Who else writes a table. */
const alsoWrite: Readonly<Record<string, readonly string[]>> = {
  // When a key, a session or an application was last used, the versions of definitions, and whether an entity has its tables: the floor's own columns.
  api_key: ['platform'],
  session: ['platform'],
  oauth_grant: ['platform'],
  // An address that is to sign somebody in.
  person_link: ['auth'],
  // When somebody signed in last.
  tenant_user: ['auth'],
  tenant: ['platform'],
  entity: ['platform'],
  // What was carried on, and what is past its time.
  event: ['events'],
  // Changes of schema take present values along.
  records: ['platform'],
  // What is past its time.
  idempotency_key: ['server/worker'],
  outbox: ['server/worker'],
}

/** Who else reads a table, in a join that another statement would make dearer. The floor asks who a caller is, and how much a tenant defines. */
const alsoRead: Readonly<Record<string, readonly string[]>> = {
  records: ['query'],
  'records.link': ['platform', 'query'],
  // A definition that a menu leads to is not deleted unasked.
  menu_item: ['definitions'],
  oauth_token: ['platform'],
  sign_in_policy: ['platform'],
  identity_provider: ['platform'],
  signed_link: ['instances', 'messaging'],
  // Whether the task of a link still waits.
  workflow_run: ['forms', 'tenants'],
  workflow_step_run: ['forms'],
  event: ['events'],
  // The floor writes whether somebody watches, and the catalog says it to saves.
  event_watcher: ['entities', 'platform'],
  app_user: ['platform'],
  audit_event: ['tenants'],
  asset: ['tenants'],
  message: ['tenants'],
  tenant_calls: ['tenants'],
  // Whoever must enrol a factor calls by the token of a sign-in.
  sign_in: ['platform'],
  category: ['platform', 'properties'],
  entity: ['definitions', 'properties', 'query', 'schema'],
  // A list leaves out what rules bind.
  file_holder: ['assets'],
  asset_receiver: ['query'],
  entity_display: ['platform'],
  entity_property: ['properties'],
  job: ['instances'],
  property: ['platform', 'schema', 'entities'],
  property_display: ['platform'],
  property_option: ['platform'],
  property_option_display: ['platform'],
  property_option_filter: ['platform'],
  tenant: ['auth', 'users', 'properties', 'schema', 'mails'],
  tenant_user: ['platform', 'schema', 'messaging', 'entities', 'events', 'workflows', 'tenants'],
  user_contact: ['auth', 'entities', 'messaging'],
  count_users: ['tenants'],
}

describe('the house', () => {
  it('sees every file', () => {
    expect(files.length).toBeGreaterThan(200)
    expect(imports.length).toBeGreaterThan(800)
  })

  it('imports only what the table of rooms allows', () => {
    const problems = imports.flatMap((one) => {
      const problem = problemOf(one)
      return problem ? [`${one.from} → ${one.to}: ${problem}`] : []
    })
    expect(problems).toEqual([])
    const used = new Set(imports.filter((one) => one.isPackage).map(({ to }) => to))
    expect(Object.keys(packageRooms).filter((name) => !used.has(name))).toEqual([])
  })

  it('refuses a package that has no room, and one that stands outside of its own', () => {
    const find = (from: string, to: string) => problemOf({ from, to, isPackage: true, isType: false, values: ['*'] })
    expect(find('tools/assets/content.ts', 'left-pad')).toContain('has no room')
    expect(find('tools/assets/content.ts', 'sharp')).toContain('another room')
    expect(find('activities/recognition/image.ts', 'sharp')).toBeUndefined()
  })

  it('knows a provider of messages in its own files alone, and in the two lists of all', () => {
    expect(providerNames.length).toBeGreaterThan(1)
    const lists = ['tools/messaging/providers/index.ts', 'activities/messaging/providers/index.ts']
    // What is true of a kind of channel, whoever carries it.
    const kindFiles = [
      'messaging.schema.ts',
      'messaging.rules.ts',
      'conversations/addresses.ts',
      'channels/channels.schema.ts',
      'channels/register-channel-address.ts',
    ].map((file) => `tools/messaging/${file}`)
    // What people say of a vendor is theirs, and documents show examples.
    const others = files.filter((file) => !lists.includes(file) && !file.endsWith('.phrases.ts') && !under(file, 'server/docs'))
    expect(others.length).toBeGreaterThan(400)
    const strays = providerNames.flatMap((name) => {
      const fileName = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      const own = ['tools', 'activities'].map((room) => `${room}/messaging/providers/${fileName}.ts`)
      expect(own.filter((file) => files.includes(file))).toEqual(own)
      // Mail is spoken, and pages are locked in, with no provider in mind; and a kind of channel may have the name of the one provider that carries it.
      const isWordOfOthers = name === 'smtp' || name === 'sandbox' || channelKinds.some((kind) => kind === name)
      const isKindHere = (file: string) => channelKinds.some((kind) => kind === name) && kindFiles.includes(file)
      const naming = isWordOfOthers ? new RegExp(`(['"\`])${name}\\1|\\b${name}(?:Way|Settings|Secrets)`, 'i') : new RegExp(name, 'i')
      return others
        .filter((file) => !own.includes(file) && !isKindHere(file) && naming.test(textOf(file)))
        .map((file) => `${file} knows ${name}`)
    })
    expect(strays).toEqual([])
  })

  it('keeps the language of tokens pure: values in, values out', () => {
    const pure = ['platform/errors.ts', 'platform/suggest.ts', 'platform/validation.ts']
    const ofTokens = imports.filter(({ from }) => under(from, 'platform/tokens'))
    expect(ofTokens.length).toBeGreaterThan(30)
    const strays = ofTokens.filter(({ to }) => !under(to, 'platform/tokens') && !pure.includes(to) && to !== 'lru-cache')
    expect(strays).toEqual([])
  })

  it('keeps SQL in stores and in the platform', () => {
    const statement = /\b(?:tx|sql)(?:<[^`;]*>)?`|\.unsafe[<(]/
    const outside = files.filter((file) => !file.endsWith('.store.ts') && !under(file, 'platform') && !under(file, 'server/boot'))
    const strays = outside.filter((file) => statement.test(textOf(file)))
    expect(outside.length).toBeGreaterThan(200)
    expect(strays).toEqual([])
  })

  it('has one domain write each table, and names who else reads it', () => {
    const owner = new Map(Object.entries(tables).flatMap(([home, names]) => names.map((name) => [name, home] as const)))
    const rooms = ['platform', 'server', 'tools/query']
    const uses = files.filter((file) => file.endsWith('.store.ts') || rooms.some((room) => under(file, room))).flatMap(sqlUsesOf)
    const known = uses.filter(({ table }) => owner.has(table))
    const writes = new Set(known.filter((one) => one.isWrite).map((one) => `${one.home} writes ${one.table}`))
    const reads = new Set(known.filter((one) => !one.isWrite).map((one) => `${one.home} reads ${one.table}`))
    expect(writes.size).toBeGreaterThan(40)
    expect(reads.size).toBeGreaterThan(50)
    const strays = known.flatMap(({ file, home, table, isWrite }) => {
      if (owner.get(table) === home || alsoWrite[table]?.includes(home)) return []
      if (!isWrite && (owner.get(table) === 'product' || alsoRead[table]?.includes(home))) return []
      return [`${file} ${isWrite ? 'writes' : 'reads'} ${table}, which is ${owner.get(table)}’s`]
    })
    expect([...new Set(strays)]).toEqual([])
    const named = (list: typeof alsoRead, verb: string) =>
      Object.entries(list).flatMap(([table, homes]) => homes.map((home) => `${home} ${verb} ${table}`))
    expect(named(alsoWrite, 'writes').filter((line) => !writes.has(line))).toEqual([])
    expect(named(alsoRead, 'reads').filter((line) => !reads.has(line))).toEqual([])
  })

  it('knows whose every table of the migrations is', () => {
    const folder = join(root, 'platform/db/migrations')
    const made = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/^create (?:table|view|function) platform\.([a-z_]+)/gm)].map(
        (match) => match[1] ?? '',
      ),
    )
    expect(made.length).toBeGreaterThan(45)
    const owned = Object.values(tables).flat()
    expect(new Set(owned).size).toBe(owned.length)
    expect(new Set(owned.filter((name) => !name.startsWith('records')))).toEqual(new Set(made))
  })

  it('takes each table with rows of tenants along when a tenant leaves, or says why not', () => {
    const folder = join(root, 'platform/db/migrations')
    const all = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    const ofTenants = all.flatMap((text) =>
      [...text.matchAll(/^create table platform\.([a-z_]+) \(\n([\s\S]*?)^\);/gm)].flatMap(([, name = '', body = '']) =>
        /^ {2}tenant_id /m.test(body) ? name : [],
      ),
    )
    expect(ofTenants.length).toBeGreaterThan(70)
    const dropped = all.flatMap((text) => [...text.matchAll(/^drop table platform\.([a-z_]+)/gm)].map(([, name = '']) => name))
    const decided = [...exportedTables.map(({ table }) => table), ...Object.keys(tablesElsewhere), ...Object.keys(leftOutTables)]
    expect(ofTenants.filter((name) => !decided.includes(name) && !dropped.includes(name))).toEqual([])
  })

  it('has records written only where their change is told', () => {
    const writers = imports.filter(({ to }) => to === 'tools/instances/save/write.store.ts').map(({ from }) => from)
    expect(writers.length).toBeGreaterThan(1)
    const telling = imports.filter(({ to }) => to === 'tools/events/service.ts').map(({ from }) => from)
    expect(writers.filter((file) => !telling.includes(file))).toEqual([])
  })

  it('has a graph of domains without a cycle', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to, isPackage } of imports) {
      const [a, b] = [domainOf(from), domainOf(to)]
      if (isPackage || a === undefined || b === undefined || a === b || a === 'index.ts') continue
      edges.set(a, (edges.get(a) ?? new Set()).add(b))
    }
    expect(edges.size).toBeGreaterThan(3)
    const done = new Set<string>()
    const walk = (domain: string, path: readonly string[]): void => {
      if (path.includes(domain)) throw new Error([...path, domain].join(' → '))
      if (done.has(domain)) return
      for (const next of edges.get(domain) ?? []) walk(next, [...path, domain])
      done.add(domain)
    }
    for (const domain of edges.keys()) walk(domain, [])
  })

  it('keeps the reading floor below all that read records, and without operations', () => {
    const below = new Set(['properties', 'entities'])
    const own = imports.filter(({ from }) => under(from, 'tools/query'))
    expect(own.length).toBeGreaterThan(20)
    const strays = own.filter(({ to }) => under(to, 'tools') && !under(to, 'tools/query') && !below.has(domainOf(to) ?? ''))
    expect(strays.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
    const floor = files.filter((file) => under(file, 'tools/query'))
    expect(floor.length).toBeGreaterThan(10)
    expect(floor.filter((file) => /\bdefine\w*Operation\(/.test(textOf(file)))).toEqual([])
    // What a caller may see is decided where a source is opened; a table that is named elsewhere would be read past it.
    const naming = floor.filter((file) => /\b(?:recordTable|historyTable)\(/.test(textOf(file)))
    expect(naming).toEqual(['tools/query/source.rules.ts'])
    const readers = new Set(imports.filter(({ to }) => to === 'tools/query/service.ts').map(({ from }) => domainOf(from)))
    expect([...readers]).toContain('instances')
    for (const domain of below) expect([...readers]).not.toContain(domain)
  })

  it('keeps the floor of stored definitions below every domain, and without operations', () => {
    const own = imports.filter(({ from }) => under(from, 'tools/definitions'))
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter(({ to }) => under(to, 'tools') && !under(to, 'tools/definitions'))).toEqual([])
    const floor = files.filter((file) => under(file, 'tools/definitions'))
    expect(floor.filter((file) => /\bdefine\w*Operation\(/.test(textOf(file)))).toEqual([])
    const users = new Set(imports.filter(({ to }) => to === 'tools/definitions/service.ts').map(({ from }) => domainOf(from)))
    for (const domain of ['properties', 'entities']) expect([...users]).toContain(domain)
  })

  it('keeps the floor of exports without operations, below all that write files of records', () => {
    const floor = files.filter((file) => under(file, 'tools/exports'))
    expect(floor.length).toBeGreaterThan(4)
    expect(floor.filter((file) => /\bdefine\w*Operation\(/.test(textOf(file)))).toEqual([])
    const below = ['tools/exports', 'tools/query', 'tools/assets', 'tools/jobs', 'tools/entities']
    const strays = imports.filter(
      ({ from, to }) => under(from, 'tools/exports') && under(to, 'tools') && !below.some((room) => under(to, room)),
    )
    expect(strays).toEqual([])
    expect(imports.filter(({ to }) => to === 'tools/exports/service.ts').map(({ from }) => domainOf(from))).toContain('views')
  })

  it('keeps the floor of schedules without operations, below all that recurs', () => {
    const floor = files.filter((file) => under(file, 'tools/schedules'))
    expect(floor.length).toBeGreaterThan(3)
    expect(floor.filter((file) => /\bdefine\w*Operation\(/.test(textOf(file)))).toEqual([])
    const below = ['tools/schedules', 'tools/jobs', 'tools/assets']
    const strays = imports.filter(
      ({ from, to }) => under(from, 'tools/schedules') && under(to, 'tools') && !below.some((room) => under(to, room)),
    )
    expect(strays).toEqual([])
    expect(imports.filter(({ to }) => to === 'tools/schedules/service.ts').map(({ from }) => domainOf(from))).toContain('views')
  })

  it('keeps each operation in the folder of its domain, in a file of its name', () => {
    const { operations } = buildRegistry(domains)
    expect(operations.length).toBeGreaterThan(100)
    const astray = operations.flatMap((operation) => {
      const domain = listedOperations.get(operation.name)?.domain ?? operation.domain
      const name = `${operation.name.replaceAll('_', '-')}.ts`
      const homes = files.filter((file) => under(file, 'tools') && file.endsWith(`/${name}`))
      const isAtHome = homes.length === 1 && under(homes[0] ?? '', `tools/${domain}`) && operation.domain === domain
      return isAtHome ? [] : [{ name: operation.name, domain, registered: operation.domain, homes }]
    })
    expect(astray).toEqual([])
  })
})
