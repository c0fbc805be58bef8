/** What a mailed link is for, as its page tells whoever opens it, before anything is done with it. */
import { takeAttempt } from '#platform/attempts.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'
import { findPersonLink, isObjection } from '#tools/users/service.ts'

import { sharerOf } from '../sign-in/attempts.ts'
import { publicLimits } from '../sign-in/sign-in.rules.ts'
import { proposedNames } from './account.rules.ts'
import { findEmailLink, findFreeLogInName, isProvedEmail } from './account.store.ts'

export type DescribedLink =
  | { readonly kind: 'reset' | 'emailUndo' | 'factorReset' }
  | { readonly kind: 'emailChange'; readonly email: string }
  | {
      readonly kind: 'invitation'
      readonly tenantId: number
      readonly subDomain: string
      readonly tenantName: string
      /** Where it was mailed to. */
      readonly email: string | null
      /** Somebody signs in with that address already: they sign in, and no password is set. */
      readonly isSomebodys: boolean
      readonly proposedName: string | undefined
    }

/** Undefined where it is over, was used, or is void. Throws AppError `rate_limited`. */
export async function describeLink(services: Services, token: string, ip: string | undefined): Promise<DescribedLink | undefined> {
  const sharer = sharerOf({ ip })
  await takeAttempt(services, publicLimits(ip), sharer)
  const hash = hashToken(token)
  return services.databases.lookUp(async (tx) => {
    const link = await findPersonLink(tx, hash)
    if (link?.kind === 'reset') return { kind: 'reset' }
    if (link) {
      const { email, label, subDomain, tenantName, tenantId } = link
      return {
        kind: 'invitation',
        tenantId: tenantId ?? 0,
        subDomain: subDomain ?? '',
        tenantName: tenantName ?? '',
        email,
        isSomebodys: email !== null && (await isProvedEmail(tx, email)),
        proposedName: await findFreeLogInName(tx, proposedNames(label, subDomain)),
      }
    }
    const changed = await findEmailLink(tx, hash)
    if (!changed) return (await isObjection(tx, hash)) ? { kind: 'factorReset' } : undefined
    return changed.kind === 'emailUndo' ? { kind: 'emailUndo' } : { kind: 'emailChange', email: changed.email ?? '' }
  }, sharer)
}
