/** Attempts to sign in, as the calls count them. */
import { takeAttempt, type Attempt, type AttemptLimit } from '#platform/attempts.ts'
import { strangerAt } from '#platform/db/databases.ts'
import { AppError } from '#platform/errors.ts'
import type { CallContext } from '#platform/operation.ts'

import { publicLimits } from './sign-in.rules.ts'

/** Whose share of the connections a call takes: a stranger's, or that of the tenant that somebody signed in to. */
export const sharerOf = ({ ip, actor }: Pick<CallContext, 'ip'> & Partial<Pick<CallContext, 'actor'>>) =>
  actor === undefined || actor.kind === 'public' ? strangerAt(ip) : String(actor.tenantId)

export async function take(context: CallContext, limits: readonly AttemptLimit[]): Promise<Attempt> {
  return takeAttempt(context.services, limits, sharerOf(context))
}

/** Counts a call of whoever has not signed in. Throws AppError `rate_limited`. */
export async function takePublicCall(context: CallContext): Promise<void> {
  await take(context, publicLimits(context.ip))
}

/** One sentence for a wrong name, a wrong password, a locked user and somebody without a tenant: nobody learns which it was. */
export const wrongLogIn = () =>
  new AppError(
    'unauthenticated',
    'The name or the password is wrong, or there is nothing to sign in to. Try again, or ask an administrator of the tenant.',
  )

/** Of a token that is over, used or nobody's. */
export const wrongToken = () => new AppError('unauthenticated', 'The signInToken is over or was used. Begin again with login.')
