/** What holds for every operation: the table, its examples, who may call it, what it refuses, and that both transports answer alike. */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { commonErrors, commonWriteErrors } from '#platform/operation.ts'
import { buildRegistry, type RegisteredOperation } from '#platform/registry.ts'
import { roleNames, type RoleName } from '#platform/roles.ts'
import { newPerson, newSession } from '#test/support/persons.ts'
import { lintTool } from '#test/support/tool-lint.ts'
import { type TestTenant, useWorld } from '#test/support/world.ts'
import { domains } from '#tools/index.ts'

import type { Arranged, Given, Stage } from './arrange.ts'
import { listedOperations } from './table.ts'
import { openWire, type Wire, type WireAnswer } from './wire.ts'

const registry = buildRegistry(domains)
const listed = registry.operations.filter((operation) => operation.isUnlisted !== true)

const givenFiles = readdirSync(join(import.meta.dirname, 'given')).filter((file) => file.endsWith('.ts'))
const given: Given = Object.assign(
  {},
  ...(await Promise.all(givenFiles.map(async (file) => ((await import(`./given/${file}`)) as { given: Given }).given))),
)

const world = useWorld()
let wire: Wire

beforeAll(async () => {
  wire = await openWire(world)
})

afterAll(async () => {
  await wire?.close()
})

function stageOf(tenant: TestTenant): Stage {
  let count = 0
  return {
    world,
    tenant,
    call: (name, input) => world.call(name, input, { key: tenant.key, transport: 'mcp' }),
    // The same names in each stage, so that two answers differ by their ids alone.
    unique: (prefix) => `${prefix}_${String(++count).padStart(3, '0')}`,
  }
}

/** Whoever may call it sees every tenant. */
const isGlobal = (operation: RegisteredOperation) => operation.roles === 'GlobalAdmin'

async function arranged(operation: RegisteredOperation): Promise<{ tenant: TestTenant; key: string; plan: Arranged }> {
  const arrange = given[operation.name]
  if (!arrange) throw new Error(`${operation.name} has no arrangement in test/contract/given`)
  const tenant = await world.newTenant()
  const plan = await arrange(stageOf(tenant))
  if (operation.roleRule.isOfPerson) {
    if (plan.session === undefined) throw new Error(`${operation.name} is a person's own, and its arrangement has no session`)
    return { tenant, key: plan.session, plan }
  }
  if (!isGlobal(operation)) return { tenant, key: tenant.key, plan }
  const global = await world.newTenant(1023)
  return { tenant, key: global.key, plan }
}

/** Ids, times and the like differ from call to call: only their kind is compared. */
const varyingName =
  /(?:Id|Ids|Key|Keys|By|Date|At|validFrom|validTo|Utc|Local|Hash|url|sig|watermark|cursor|Cursor|dataJson|prefix|Host|host|subDomain|SubDomain)$/

function comparable(value: unknown, varying: ReadonlySet<string>, name = ''): unknown {
  if (value !== null && name !== '' && (varyingName.test(name) || varying.has(name)) && typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return value.map((element) => comparable(element, varying, name.replace(/s$/, '')))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [/^\d+$/.test(key) ? 'id' : key, comparable(part, varying, key)]))
}

const sizeAndKind = z.object({ mimeType: z.string(), sizeBytes: z.int().positive() })
const list = z.object({ items: z.array(z.unknown()) })

/** What an answer over REST tells, of bytes their kind and size. */
function toldOver(operation: RegisteredOperation, { body, headers, sizeBytes }: WireAnswer): unknown {
  if (operation.answersBytes) return sizeAndKind.parse({ mimeType: headers.get('content-type'), sizeBytes })
  expect(body).toBeDefined()
  return body
}

/** The same of an answer over MCP, where a list is an object. */
function shownOver(operation: RegisteredOperation, content: unknown): unknown {
  if (operation.answersBytes) return sizeAndKind.parse(content)
  return operation.outputSchema['type'] === 'array' ? list.parse(content).items : content
}

/** Operations that anybody may call and that therefore have nothing of what follows: the spec that holds each to its promises. */
const openToAll: Readonly<Record<string, string>> = {
  receive_channel_webhook: 'channels.spec.ts',
  receive_workflow_webhook: 'triggers-webhooks.spec.ts',
  receive_action_webhook: 'action-packs.spec.ts',
  put_upload: 'asset-urls.spec.ts',
  open_signed_link: 'links.spec.ts',
  submit_signed_link: 'links.spec.ts',
  put_signed_link_upload: 'links.spec.ts',
  list_handset_messages: 'handsets.spec.ts',
  get_public_branding: 'branding.spec.ts',
  login: 'sign-in.spec.ts',
  select_second_factor: 'sign-in.spec.ts',
  verify_second_factor: 'sign-in.spec.ts',
  select_tenant: 'sign-in.spec.ts',
  request_password_reset: 'invitations.spec.ts',
  complete_password_reset: 'invitations.spec.ts',
  confirm_email_change: 'email-change.spec.ts',
}

/** Promises that only some operations make: where one does not apply there is no test, so that a skipped test always means something. */
const noTest = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof it
const itIf = (applies: boolean) => (applies ? it : noTest)

const bearerOnly = (operation: RegisteredOperation) => operation.roleRule.needsCredential && !operation.roleRule.admitsAgent

describe('the table of operations', () => {
  it('has every registered operation, by name, method, path, role and domain', () => {
    expect(listed.length).toBeGreaterThan(100)
    const differing = listed.flatMap((operation) => {
      const row = listedOperations.get(operation.name)
      const own = { method: operation.method, path: operation.path, role: operation.roles, domain: operation.domain }
      return row && JSON.stringify(row) === JSON.stringify(own) ? [] : [{ name: operation.name, own, row }]
    })
    expect(differing).toEqual([])
    process.stdout.write(`\n${listed.length} of ${listedOperations.size} operations of the table exist\n`)
  })

  it('has an arrangement for every operation, and none for anything else', () => {
    expect(Object.keys(given).sort()).toEqual(
      listed
        .filter(bearerOnly)
        .map((operation) => operation.name)
        .sort(),
    )
  })
})

describe('the operations that need no credential', () => {
  it('are these, and each has its own spec', () => {
    expect(
      registry.operations
        .filter((operation) => !bearerOnly(operation))
        .map((operation) => operation.name)
        .sort(),
    ).toEqual(Object.keys(openToAll).sort())
    for (const [name, spec] of Object.entries(openToAll)) {
      const operation = registry.operations.find((one) => one.name === name)
      const text = readFileSync(join(import.meta.dirname, '..', spec), 'utf8')
      expect(text.includes(name) || text.includes(operation?.path.split('{')[0] ?? name), `${name} in ${spec}`).toBe(true)
    }
  })
})

describe.each(registry.operations.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  it('has examples that are true to its schemas', () => {
    expect(operation.examples.length).toBeGreaterThan(0)
    for (const example of operation.examples) {
      expect(operation.input.strict().safeParse(example.input).error).toBeUndefined()
      expect(operation.output.safeParse(example.output).error).toBeUndefined()
    }
  })

  itIf(operation.isTool)('is a tool that every host can take', () => {
    const { title, description, inputSchema, structuredSchema, annotations } = operation
    expect(lintTool({ name, title, description, inputSchema, outputSchema: structuredSchema, annotations })).toEqual([])
  })

  const isPlain = bearerOnly(operation) && operation.isUnlisted !== true
  const { isOfPerson } = operation.roleRule

  itIf(isPlain)('refuses a call without a credential and with a wrong one', async () => {
    for (const key of [undefined, 'flk_wrong', 'fls_wrong']) {
      const answer = await wire.rest(operation, Object.fromEntries(operation.pathParams.map((param) => [param, '1'])), { key })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      expect(answer.body).toMatchObject({ code: 'unauthenticated', status: 401 })
    }
  })

  itIf(isOfPerson)('refuses a key, whatever its roles and whoever it acts as, and is no tool', async () => {
    const { tenant, key, plan } = await arranged(operation)
    const { tenantUserId } = await world.platform.pipeline.identify({ kind: 'bearer', token: key })
    const { apiKey } = await world.call('create_api_key', { name: 'bound', roles: [], tenantUserId }, { key: tenant.key })
    const global = await world.newTenant(1023)
    for (const one of [apiKey, tenant.key, global.key])
      expect((await wire.rest(operation, plan.input, { key: one })).body).toMatchObject({ code: 'forbidden', status: 403 })
    expect(operation.isTool).toBe(false)
    await expect(wire.mcp(name, plan.input, { key })).rejects.toThrow(/protocol error/)
  })

  const masks = isPlain && !isOfPerson ? operation.roles.split('|').filter((one) => one !== 'Signed' && one !== 'any') : []
  // Leaving out one role of each alternative leaves a caller whom none of them admits.
  const lacking: RoleName[][] =
    masks.length === 0 ? [] : masks.length === 1 ? (masks[0] ?? '').split('&').map((role) => [role as RoleName]) : [masks as RoleName[]]

  itIf(lacking.length > 0).each(lacking.map((roles) => [roles.join(' and '), roles] as const))(
    'refuses a caller without %s, on both transports',
    async (_names, roles) => {
      const { tenant, plan } = await arranged(operation)
      const key = await tenant.keyWith(roleNames.filter((role) => !roles.includes(role) && role !== 'GlobalAdmin'))
      const answer = await wire.rest(operation, plan.input, { key })
      expect(answer.body).toMatchObject({ code: 'forbidden', status: 403 })
      const over = await wire.mcp(name, plan.input, { key })
      expect(over).toMatchObject({ isError: true, content: { code: 'forbidden' } })
      const rows =
        await world.sql`select 1 from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = ${name} and outcome = 'denied'`
      expect(rows).toHaveLength(2)
    },
  )

  const required =
    (operation.inputSchema['required'] as string[] | undefined)?.filter((field) => !operation.pathParams.includes(field)) ?? []

  itIf(isPlain && required.length > 0).each(required)('refuses a call without %s', async (field) => {
    const { key, plan } = await arranged(operation)
    const { [field]: _left, ...input } = plan.input
    const { content } = operation.mcpOnlyFields?.includes(field)
      ? await wire.mcp(name, input, { key })
      : { content: (await wire.rest(operation, input, { key })).body }
    expect(content).toMatchObject({ status: 400 })
  })

  const namesOne = isPlain && operation.pathParams.some((param) => param !== 'kind' && param !== 'part')

  itIf(namesOne && !isGlobal(operation))('answers another tenant as if nothing of this one existed', async () => {
    const { plan } = await arranged(operation)
    const other = await world.newTenant()
    const key = isOfPerson ? await newSession(world, await newPerson(world, other)) : other.key
    const answer = await wire.rest(operation, plan.input, { key })
    expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
  })

  itIf(namesOne && isGlobal(operation))('answers what nobody has as absent', async () => {
    const { key, plan } = await arranged(operation)
    const nobodys = Object.fromEntries(operation.pathParams.map((param) => [param, 2_000_000_000]))
    const answer = await wire.rest(operation, { ...plan.input, ...nobodys }, { key })
    expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
  })

  itIf(isOfPerson)('answers its person', async () => {
    const { key, plan } = await arranged(operation)
    const answer = await wire.rest(operation, plan.input, { key })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  })

  itIf(isPlain && !isOfPerson)('answers alike over REST and MCP', async () => {
    const first = await arranged(operation)
    const second = await arranged(operation)
    const varying = new Set(first.plan.varying)
    // What is left out over MCP unless asked for is the one difference that the transports may have.
    const asked = 'withDataJson' in operation.input.shape ? { withDataJson: true } : {}
    const rest = await wire.rest(operation, { ...first.plan.input, ...asked }, { key: first.key })
    expect(rest.status, JSON.stringify(rest.body)).toBe(200)
    const mcp = await wire.mcp(name, { ...second.plan.input, ...asked }, { key: second.key })
    expect(mcp.isError, JSON.stringify(mcp.content)).toBe(false)
    expect(mcp.text).toEqual(mcp.content)
    expect(comparable(shownOver(operation, mcp.content), varying)).toEqual(comparable(toldOver(operation, rest), varying))
  })

  it('declares beside the errors of every operation only its own', () => {
    const common = new Set([...commonErrors, ...(operation.effect === 'read' ? [] : commonWriteErrors)])
    // Whoever asks for no credential may still be told that one is wrong.
    const own = operation.errors.filter((code) => common.has(code) && (bearerOnly(operation) || code !== 'unauthenticated'))
    expect(own).toEqual([])
    expect(new Set(operation.errors).size).toBe(operation.errors.length)
  })

  itIf(isPlain)('refuses a field that it has not, by its name', async () => {
    const { key, plan } = await arranged(operation)
    const unknown = await wire.rest(operation, { ...plan.input, notAField: 1 }, { key })
    expect(unknown.status).toBe(400)
    expect((unknown.body as { issues: { path: string }[] }).issues.map((issue) => issue.path)).toContain('$.notAField')
  })

  itIf(isOfPerson && operation.effect !== 'read')(
    'replays under its idempotency key, and leaves no audit row of what is the person’s',
    async () => {
      const { tenant, key, plan } = await arranged(operation)
      const idempotencyKey = randomUUID()
      const first = await wire.rest(operation, plan.input, { key, idempotencyKey })
      expect(first.status, JSON.stringify(first.body)).toBe(200)
      const again = await wire.rest(operation, plan.input, { key, idempotencyKey })
      expect(again.status).toBe(plan.endsItself ? 401 : operation.issuesSecret ? 409 : 200)
      const replayed = again.status === 200 && operation.isNeverReplayed !== true
      expect(replayed ? again.body : undefined).toEqual(replayed ? first.body : undefined)
      const rows = await world.sql`select operation from platform.audit_event where tenant_id = ${tenant.tenantId}`
      // Where a session or a grant began or ended is its tenant's to know.
      const isTold = ['logout', 'revoke_session', 'revoke_connected_app'].includes(name)
      expect(rows.filter((row) => row['operation'] === name)).toHaveLength(isTold ? 1 : 0)
    },
  )

  itIf(isPlain && !isOfPerson && operation.effect !== 'read')('leaves an audit row, and replays under its idempotency key', async () => {
    const { tenant, key, plan } = await arranged(operation)
    const idempotencyKey = randomUUID()
    const first = await wire.rest(operation, plan.input, { key, idempotencyKey })
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    const again = await wire.rest(operation, plan.input, { key, idempotencyKey })
    expect(again.status).toBe(operation.issuesSecret ? 409 : 200)
    const caller = await world.platform.pipeline.identify({ kind: 'bearer', token: key })
    const rows = await world.sql`
      select from platform.audit_event
      where operation = ${name} and outcome = 'done' and tenant_id in (${tenant.tenantId}, ${caller.tenantId}) and tenant_user_id = ${caller.tenantUserId}`
    expect(rows.length).toBeGreaterThan(0)
    if (!operation.issuesSecret) expect(again.body).toEqual(first.body)
  })
})
