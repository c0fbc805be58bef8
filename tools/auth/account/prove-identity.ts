import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type CallContext, defineStagedOperation, writes } from '#platform/operation.ts'
import { freshProofMs, sessionIdOf } from '#platform/sessions.ts'

import { factorId } from '../factors/factors.schema.ts'
import { passkeyOptions, type ShownCredential, shownCredential } from '../factors/passkeys.schema.ts'
import { code, password } from '../sign-in/sign-in.schema.ts'
import { markProved } from './account.store.ts'
import { askForOwnPasskey, proveByPasskey, proveCode, provePassword, sendOwnCode } from './proof.ts'

export const proveIdentity = defineStagedOperation({
  ...writes(
    z.object({
      provedUntil: z.iso.datetime().optional(),
      sentTo: z.string().optional().describe('Of factorId: its name'),
      options: passkeyOptions.optional().describe('Of passkey: for navigator.credentials.get'),
    }),
  ),
  errors: ['not_found'],
  name: 'prove_identity',
  title: 'Prove who I am again',
  description:
    'Shows the password, a code of a second factor, or a passkey again: for 10 minutes the session may do what fresh_proof_required asks for.',
  method: 'POST',
  path: '/api/v1/auth/prove',
  roles: 'Person',
  isNeverReplayed: true,
  input: z.object({
    password: password.optional(),
    code: code.optional(),
    passkey: z.literal(true).optional().describe('Answers the options to show a passkey with'),
    credential: shownCredential.optional(),
    factorId: factorId.optional().describe('Of e-mail or SMS: sends a code to show next'),
  }),
  examples: [
    { title: 'By the password', input: { password: 'correct horse battery' }, output: { provedUntil: '2026-11-21T10:10:00.000Z' } },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    const given = [input.password, input.code, input.credential, input.passkey, input.factorId].filter((one) => one !== undefined)
    if (given.length !== 1) {
      const message = 'Give one of password, code, credential, passkey and factorId.'
      throw new AppError('invalid_input', message, { issues: [finding('$.password', message)] })
    }
    const sessionId = sessionIdOf(actor) ?? 0
    if (input.passkey === true) return { options: await askForOwnPasskey(context, sessionId) }
    if (input.factorId !== undefined) return { sentTo: await sendOwnCode(context, input.factorId) }
    const factor = await prove(context, input, sessionId)
    const at = mustExist(await services.databases.lookUp((tx) => markProved(tx, sessionId, factor)), 'session')
    services.wake.poke(credentialsTopic)
    return { provedUntil: new Date(Date.parse(at) + freshProofMs).toISOString() }
  },
})

interface Shown {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly credential?: ShownCredential | undefined
}

/** The channel of the factor that was shown; null: the password. */
async function prove(context: CallContext, { password: shown, code: typed, credential }: Shown, sessionId: number): Promise<string | null> {
  if (typed !== undefined) return proveCode(context, typed)
  if (credential) await proveByPasskey(context, credential, sessionId)
  else await provePassword(context, shown ?? '')
  return credential ? 'passkey' : null
}
