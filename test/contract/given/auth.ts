/** Working calls of the key operations. */
import { randomUUID } from 'node:crypto'

import { Secret, TOTP } from 'otpauth'

import { newGrant } from '#test/support/grants.ts'
import { newPasskey } from '#test/support/authenticator.ts'
import { sentCode } from '#test/support/sent-codes.ts'
import { newPerson, newSession, passwordOfTests } from '#test/support/persons.ts'

import type { Arranged, Given, Stage } from '../arrange.ts'

async function keyOf({ call, unique }: Stage): Promise<number> {
  const { apiKeyId } = await call('create_api_key', { name: unique('Key'), roles: ['DataView'] })
  return apiKeyId
}

/** A call of a person who has just signed in. */
async function asPerson({ world, tenant }: Stage, input: Record<string, unknown> = {}): Promise<Arranged & { session: string }> {
  return { input, session: await newSession(world, await newPerson(world, tenant)) }
}

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

/** The same of one who let an application in. */
async function withApp({ world, tenant }: Stage): Promise<{ session: string; grantId: number }> {
  const person = await newPerson(world, tenant)
  const { grantId } = await newGrant(world, person, ['DataView'], 'http://localhost:4000/mcp')
  return { session: await newSession(world, person), grantId }
}

/** The same of one who has an authenticator app. */
async function withFactor(stage: Stage, inputOf: (factorId: number) => Record<string, unknown>): Promise<Arranged> {
  const { session } = await asPerson(stage)
  const { factorId, secret } = await stage.world.call('enroll_totp', {}, { key: session })
  await stage.world.call('confirm_totp', { factorId, code: codeOf(secret) }, { key: session })
  return { input: inputOf(factorId), session }
}

export const given: Given = {
  async logout(stage) {
    return { ...(await asPerson(stage)), endsItself: true }
  },
  list_sessions: (stage) => asPerson(stage),
  async revoke_session({ world, tenant }) {
    const person = await newPerson(world, tenant)
    const [session, other] = [await newSession(world, person), await newSession(world, person)]
    const sessions: { sessionId: number; isCurrent: boolean }[] = await world.call('list_sessions', {}, { key: other })
    return { input: { sessionId: sessions.find(({ isCurrent }) => isCurrent)?.sessionId }, session }
  },
  list_connected_apps: async (stage) => ({ input: {}, session: (await withApp(stage)).session }),
  async revoke_connected_app(stage) {
    const { session, grantId } = await withApp(stage)
    return { input: { appId: grantId }, session }
  },
  enroll_totp: (stage) => asPerson(stage, { name: 'My phone' }),
  async confirm_totp(stage) {
    const { session } = await asPerson(stage)
    const { factorId, secret } = await stage.world.call('enroll_totp', {}, { key: session })
    return { input: { factorId, code: codeOf(secret) }, session }
  },
  enroll_passkey: (stage) => asPerson(stage, { name: 'Laptop' }),
  async confirm_passkey(stage) {
    const { session } = await asPerson(stage)
    const { factorId, options } = await stage.world.call('enroll_passkey', {}, { key: session })
    return { input: { factorId, credential: newPasskey(stage.world.config.portalUrl).create(options) }, session }
  },
  enroll_code_factor: (stage) => asPerson(stage, { channel: 'email', value: `${randomUUID()}@example.com` }),
  async confirm_code_factor(stage) {
    const { session } = await asPerson(stage)
    const { factorId } = await stage.world.call(
      'enroll_code_factor',
      { channel: 'email', value: `${randomUUID()}@example.com` },
      { key: session },
    )
    return { input: { factorId, code: await sentCode(stage.world) }, session }
  },
  list_second_factors: (stage) => withFactor(stage, () => ({})),
  rename_second_factor: (stage) => withFactor(stage, (factorId) => ({ factorId, name: 'Work phone' })),
  delete_second_factor: (stage) => withFactor(stage, (factorId) => ({ factorId })),
  create_recovery_codes: (stage) => withFactor(stage, () => ({})),
  change_password: (stage) => asPerson(stage, { password: passwordOfTests, newPassword: 'nine silver herons at dusk' }),
  prove_identity: (stage) => asPerson(stage, { password: passwordOfTests }),
  get_profile: (stage) => asPerson(stage),
  request_email_change: (stage) => asPerson(stage, { email: `${randomUUID()}@example.com` }),
  update_profile: (stage) => asPerson(stage, { displayName: 'Ana Ruiz', timeZoneIana: 'Europe/Madrid' }),
  async list_api_keys(stage) {
    await keyOf(stage)
    return { input: {} }
  },
  async find_api_keys(stage) {
    const { apiKey } = await stage.call('create_api_key', { name: stage.unique('Key'), roles: ['DataView'] })
    return { input: { apiKey }, varying: ['tenantName'] }
  },
  create_api_key: async ({ unique }) => ({
    input: { name: unique('Key'), roles: ['DataView'], expiresAt: '2099-01-01T00:00:00Z' },
    varying: ['apiKey'],
  }),
  revoke_api_key: async (stage) => ({ input: { apiKeyId: await keyOf(stage) } }),
  rotate_api_key: async (stage) => ({
    input: { apiKeyId: await keyOf(stage), graceSeconds: 60 },
    varying: ['apiKey', 'previousValidUntil'],
  }),
  update_api_key: async (stage) => ({ input: { apiKeyId: await keyOf(stage), roles: ['DataEdit'], allowedAddresses: ['203.0.113.0/24'] } }),
  save_secret: async ({ unique }) => ({ input: { internalName: unique('erp'), value: 'from-the-console', hosts: ['erp.example.com'] } }),
  async list_secrets({ call, unique }) {
    await call('save_secret', { internalName: unique('erp'), value: 'from-the-console', hosts: ['erp.example.com'] })
    return { input: {} }
  },
  async delete_secret({ call, unique }) {
    const { internalName } = await call('save_secret', {
      internalName: unique('erp'),
      value: 'from-the-console',
      hosts: ['erp.example.com'],
    })
    return { input: { secret: internalName } }
  },
}
