import type { Step } from './step.ts'

const apiKeyId = '{{apiKeyId}}'

const factorId = '{{factorId}}'
const signInToken = '{{signInToken}}'
const asPerson = { headers: { Authorization: 'Bearer {{session}}' } } as const

// The code that an authenticator app would show, of the secret that enroll_totp answered: RFC 6238 in the sandbox of Postman.
const showCode = [
  "const crypto = require('crypto-js')",
  "const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'",
  "const bits = [...pm.collectionVariables.get('totpSecret')].map((one) => letters.indexOf(one).toString(2).padStart(5, '0')).join('')",
  "const hex = bits.match(/.{4}/g).map((four) => parseInt(four, 2).toString(16)).join('')",
  "const step = Math.floor(Date.now() / 30000).toString(16).padStart(16, '0')",
  'const mac = crypto.HmacSHA1(crypto.enc.Hex.parse(step), crypto.enc.Hex.parse(hex)).toString()',
  'const at = parseInt(mac.slice(-1), 16) * 2',
  "const code = ((parseInt(mac.slice(at, at + 8), 16) & 0x7fffffff) % 1000000).toString().padStart(6, '0')",
  "pm.collectionVariables.set('totpCode', code)",
]

/** A person's: with the log-in that the variables userName and password hold. */
const ofPersons: readonly Step[] = [
  {
    operation: 'login',
    input: { userName: '{{userName}}', password: '{{password}}' },
    keeps: { signInToken: 'answer.signInToken', ownTenantId: 'answer.tenants[0].tenantId' },
  },
  { operation: 'select_tenant', input: { signInToken, tenantId: '{{#ownTenantId}}' }, keeps: { session: 'answer.token' } },
  { operation: 'get_profile', ...asPerson, keeps: { displayName: 'answer.displayName' } },
  { operation: 'update_profile', ...asPerson, input: { displayName: '{{displayName}}' } },
  { operation: 'list_sessions', ...asPerson, keeps: { ownSessionId: 'answer.find((one) => one.isCurrent).sessionId' } },
  { operation: 'list_connected_apps', ...asPerson, keeps: { appId: "(answer[0] || {}).appId || ''" } },
  {
    operation: 'revoke_connected_app',
    ...asPerson,
    // A person lets one in by a browser.
    before: ["if (!pm.collectionVariables.get('appId')) pm.execution.skipRequest()"],
    input: { appId: '{{appId}}' },
  },
  { operation: 'prove_identity', ...asPerson, input: { password: '{{password}}' } },
  {
    operation: 'enroll_totp',
    ...asPerson,
    input: { name: 'Walk {{run}}' },
    keeps: { factorId: 'answer.factorId', totpSecret: 'answer.secret' },
  },
  { operation: 'confirm_totp', ...asPerson, before: showCode, input: { factorId: '{{#factorId}}', code: '{{totpCode}}' } },
  { operation: 'enroll_passkey', ...asPerson, input: { name: 'Walk {{run}}' }, keeps: { passkeyId: 'answer.factorId' } },
  {
    operation: 'confirm_passkey',
    ...asPerson,
    // A browser makes it.
    before: ["if (!pm.collectionVariables.get('passkey')) pm.execution.skipRequest()"],
    input: { factorId: '{{#passkeyId}}', credential: '{{#passkey}}' },
  },
  {
    operation: 'enroll_code_factor',
    ...asPerson,
    input: { channel: 'email', value: 'walk-codes-{{run}}@example.com' },
    keeps: { codeFactorId: 'answer.factorId' },
  },
  {
    operation: 'confirm_code_factor',
    ...asPerson,
    // It stands in the mail alone.
    before: ["if (!pm.collectionVariables.get('sentCode')) pm.execution.skipRequest()"],
    input: { factorId: '{{#codeFactorId}}', code: '{{sentCode}}' },
  },
  { operation: 'list_second_factors', ...asPerson },
  { operation: 'rename_second_factor', ...asPerson, input: { factorId, name: 'Walked {{run}}' } },
  { operation: 'create_recovery_codes', ...asPerson, keeps: { recoveryCode: 'answer.codes[0]' } },
  {
    operation: 'login',
    title: 'with a second factor',
    input: { userName: '{{userName}}', password: '{{password}}' },
    keeps: { signInToken: 'answer.signInToken' },
  },
  { operation: 'select_second_factor', input: { signInToken, channel: 'recovery' } },
  { operation: 'verify_second_factor', input: { signInToken, code: '{{recoveryCode}}' }, keeps: { signInToken: 'answer.signInToken' } },
  {
    operation: 'select_tenant',
    title: 'with a second factor',
    input: { signInToken, tenantId: '{{#ownTenantId}}' },
    keeps: { session: 'answer.token' },
  },
  { operation: 'revoke_session', ...asPerson, input: { sessionId: '{{ownSessionId}}' } },
  { operation: 'delete_second_factor', ...asPerson, input: { factorId } },
  { operation: 'change_password', ...asPerson, input: { password: '{{password}}', newPassword: 'walked {{run}} {{password}}' } },
  {
    operation: 'change_password',
    title: 'and back',
    ...asPerson,
    input: { password: 'walked {{run}} {{password}}', newPassword: '{{password}}' },
  },
  { operation: 'request_email_change', ...asPerson, input: { email: 'walk-{{run}}@example.com' } },
  {
    operation: 'confirm_email_change',
    // Its token stands in the mail alone.
    before: ["if (!pm.collectionVariables.get('emailToken')) pm.execution.skipRequest()"],
    input: { token: '{{emailToken}}' },
  },
  { operation: 'logout', ...asPerson },
  {
    operation: 'complete_password_reset',
    input: { token: '{{invitation}}', password: 'walked here by {{run}}', userName: 'walk-{{run}}' },
  },
  { operation: 'request_password_reset', input: { userName: 'walk-{{run}}' } },
]

export const steps: readonly Step[] = [
  ...ofPersons,
  {
    operation: 'create_api_key',
    input: { name: 'Walk {{run}}', roles: ['DataView'], expiresAt: '2099-01-01T00:00:00Z' },
    keeps: { apiKeyId: 'answer.apiKeyId' },
  },
  { operation: 'list_api_keys', input: { pageSize: 5 } },
  { operation: 'find_api_keys', input: { prefix: 'flk_leaked' } },
  { operation: 'update_api_key', input: { apiKeyId, roles: ['DataView', 'DataEdit'] } },
  { operation: 'rotate_api_key', input: { apiKeyId, graceSeconds: 60 }, keeps: { apiKeyId: 'answer.apiKeyId' } },
  { operation: 'revoke_api_key', input: { apiKeyId } },
  { operation: 'save_secret', input: { internalName: 'erp{{run}}', value: 'from-the-console', hosts: ['erp.example.com'] } },
  { operation: 'list_secrets' },
  { operation: 'delete_secret', input: { secret: 'erp{{run}}' } },
]
