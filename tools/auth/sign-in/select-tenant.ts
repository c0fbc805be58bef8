import { z } from 'zod'

import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type Actor, defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'
import { hashToken, newSessionToken, refuseStaleProof, sessionIdOf } from '#platform/sessions.ts'
import { tenantId } from '#tools/users/users.schema.ts'

import { sharerOf, takePublicCall, wrongToken } from './attempts.ts'
import { exampleToken, sessionStarted, type SignInStep, signInStep, signInToken } from './sign-in.schema.ts'
import { type BegunSession, deleteSignIn, findSessionProofs, findSignIn, insertSession } from './sign-in.store.ts'
import { type Entering, findStepBefore } from './steps.ts'

const noTenant = () => new AppError('not_found', 'No such tenant. Take one that the step before, or get_profile, answered.')

export const selectTenant = defineStagedOperation({
  ...writes(z.union([sessionStarted, signInStep])),
  errors: ['unauthenticated', 'not_found', 'fresh_proof_required'],
  takesSession: true,
  name: 'select_tenant',
  title: 'Choose the tenant of a session',
  description:
    'The last step of a sign-in: answers the token of a session of 8 hours in one tenant. With a session as Bearer instead of signInToken it changes the tenant, for what is left of the 8 hours. Where the tenant asks for a second factor it answers next instead: secondFactor, or enrolSecondFactor, whose signInToken as Bearer opens the calls that enrol one; then select_tenant again.',
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
    {
      title: 'A tenant that asks for a second factor',
      input: { signInToken: exampleToken, tenantId: 3 },
      output: { signInToken: exampleToken, next: 'enrolSecondFactor', expiresAt: '2026-11-21T10:11:00.000Z' },
    },
  ],
  async stagedHandler(context, input) {
    await takePublicCall(context)
    const token = newSessionToken()
    const outcome = await begin(context, input, hashToken(token))
    if ('next' in outcome) return outcome
    if (outcome.endsEnrolment) context.services.wake.poke(credentialsTopic)
    const { begun, userId, factor, provider } = outcome
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
          facts: { sessionId, factor, ...(provider === undefined ? {} : { provider }) },
        }),
      { tenantId: input.tenantId },
    )
    return { token, expiresInSeconds: remainingSeconds, tenantId: input.tenantId, ...member }
  },
})

type Begun = {
  readonly begun: BegunSession
  readonly userId: number
  readonly factor: string | null
  readonly provider: string | undefined
  readonly endsEnrolment?: boolean
}

/**
 * The session, or the step that the tenant asks for before. Throws AppError `unauthenticated`, `fresh_proof_required`, or `not_found` for a tenant that is
 * not the person's to go to, which leaves the token as it is.
 */
async function begin(
  context: StagedContext,
  input: { readonly signInToken?: string | undefined; readonly tenantId: number },
  hash: Buffer,
): Promise<Begun | SignInStep> {
  const { session, services } = context
  if ((input.signInToken === undefined) === (session === undefined)) {
    const message = 'Give a signInToken, or a session as Bearer, not both.'
    throw new AppError('invalid_input', message, { issues: [finding('$.signInToken', message)] })
  }
  const from = { tenantId: input.tenantId, hash, address: context.ip ?? null, userAgent: context.userAgent ?? null }
  const enter = async (tx: Tx, entering: Entering): Promise<Begun> => {
    const begun = await insertSession(tx, { ...from, ...entering })
    if (!begun) throw noTenant()
    return { begun, userId: entering.userId, factor: entering.factor, provider: entering.provider?.issuer }
  }
  return services.databases.lookUp(async (tx) => {
    if (session) return enterFromSession(tx, session, input.tenantId, enter)
    const signInToken = input.signInToken ?? ''
    const signIn = await findSignIn(tx, hashToken(signInToken), 'selectTenant', 'enrolSecondFactor')
    if (!signIn || signIn.userId === null) throw wrongToken()
    const { signInId, userId, factor, provedDate, sessionUntil, expiresAt, provider } = signIn
    if (provider && provider.tenantId !== input.tenantId) throw noTenant()
    // Whoever must enrol a factor for one tenant does so before going to any.
    for (const tenantId of signIn.tenantId === null ? [input.tenantId] : [signIn.tenantId, input.tenantId]) {
      const step = await findStepBefore(tx, { userId, tenantId, factor, provider })
      if (step?.next === 'enrolSecondFactor' && signIn.tenantId === tenantId) return { signInToken, next: step.next, expiresAt }
      if (!step) continue
      if (!(await deleteSignIn(tx, signInId))) throw wrongToken()
      return step.make({ userId, tenantId, factor, provedDate, sessionUntil, provider })
    }
    if (!(await deleteSignIn(tx, signInId))) throw wrongToken()
    const entered = await enter(tx, { userId, tenantId: input.tenantId, factor, provedDate, sessionUntil, provider })
    return { ...entered, endsEnrolment: signIn.tenantId !== null }
  }, sharerOf(context))
}

async function enterFromSession(
  tx: Tx,
  session: Actor,
  tenantId: number,
  enter: (tx: Tx, entering: Entering) => Promise<Begun>,
): Promise<Begun | SignInStep> {
  const proofs = await findSessionProofs(tx, sessionIdOf(session) ?? 0)
  if (!proofs) throw noTenant()
  const { userId } = session
  const entering = { userId, tenantId, ...proofs }
  const step = await findStepBefore(tx, entering)
  if (!step) return enter(tx, entering)
  // Whoever finds a session open must not add a factor of their own.
  if (step.next === 'enrolSecondFactor') refuseStaleProof(session)
  return step.make(entering)
}
