import { z } from 'zod'

import { insertAuditEvent } from '#platform/audit.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type Actor, defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'
import { hashToken, newSessionToken, sessionIdOf } from '#platform/sessions.ts'
import { tenantId } from '#tools/users/users.schema.ts'

import { sharerOf, takePublicCall, wrongToken } from './attempts.ts'
import { exampleToken, sessionStarted, signInToken } from './sign-in.schema.ts'
import { type BegunSession, deleteSignIn, findSessionFactor, findSignIn, insertSession } from './sign-in.store.ts'

const noTenant = () => new AppError('not_found', 'No such tenant. Take one that the step before, or get_profile, answered.')

export const selectTenant = defineStagedOperation({
  ...writes(sessionStarted),
  errors: ['unauthenticated', 'not_found'],
  takesSession: true,
  name: 'select_tenant',
  title: 'Choose the tenant of a session',
  description:
    'The last step of a sign-in: answers the token of a session of 8 hours in one tenant. With a session as Bearer instead of signInToken it changes the tenant, for what is left of the 8 hours.',
  method: 'POST',
  path: '/api/v1/auth/select-tenant',
  roles: 'Public',
  input: z.object({ signInToken: signInToken.optional(), tenantId: tenantId.describe('One of tenants[]') }),
  examples: [
    {
      title: 'The end of a sign-in',
      input: { signInToken: exampleToken, tenantId: 1 },
      output: {
        token: 'fls_3q2-7wAAbW9yZSByYW5kb20gYml0cyB0aGFuIHRoYXQ',
        expiresInSeconds: 28_800,
        tenantId: 1,
        tenantUserId: 1,
        displayName: 'Administrator',
        roleFlag: 511,
      },
    },
  ],
  async stagedHandler(context, input) {
    await takePublicCall(context)
    const token = newSessionToken()
    const { begun, userId, factor } = await begin(context, input, hashToken(token))
    const { sessionId, remainingSeconds, ...member } = begun
    const actor: Actor = { kind: 'session', tenantId: input.tenantId, userId, credentialId: `session:${sessionId}`, ...member }
    await context.inTransaction(
      ({ tx }) =>
        insertAuditEvent(tx, {
          tenantId: input.tenantId,
          actor,
          operation: 'select_tenant',
          outcome: 'done',
          transport: context.transport,
          requestId: context.requestId,
          ip: context.ip,
          facts: { sessionId, factor },
        }),
      { tenantId: input.tenantId },
    )
    return { token, expiresInSeconds: remainingSeconds, tenantId: input.tenantId, ...member }
  },
})

/** Throws AppError `unauthenticated`, or `not_found` for a tenant that is not the person's to go to, which leaves the token as it is. */
async function begin(
  context: StagedContext,
  input: { readonly signInToken?: string | undefined; readonly tenantId: number },
  hash: Buffer,
): Promise<{ begun: BegunSession; userId: number; factor: string | null }> {
  const { session, services } = context
  if ((input.signInToken === undefined) === (session === undefined)) {
    const message = 'Give a signInToken, or a session as Bearer, not both.'
    throw new AppError('invalid_input', message, { issues: [finding('$.signInToken', message)] })
  }
  const from = { tenantId: input.tenantId, hash, address: context.ip ?? null, userAgent: context.userAgent ?? null }
  return services.databases.lookUp(async (tx) => {
    if (session) {
      const sessionId = sessionIdOf(session) ?? 0
      const factor = await findSessionFactor(tx, sessionId)
      const begun = await insertSession(tx, { ...from, userId: session.userId, factor }, { sessionId })
      if (!begun) throw noTenant()
      return { begun, userId: session.userId, factor }
    }
    const signIn = await findSignIn(tx, hashToken(input.signInToken ?? ''), 'selectTenant')
    if (!signIn || !(await deleteSignIn(tx, signIn.signInId))) throw wrongToken()
    const begun = await insertSession(tx, { ...from, userId: signIn.userId, factor: signIn.factor }, undefined)
    if (!begun) throw noTenant()
    return { begun, userId: signIn.userId, factor: signIn.factor }
  }, sharerOf(context))
}
