/** What a tenant's own provider changes of the way into that tenant. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

import type { ProviderInput } from './provider.schema.ts'

export const onlyByProvider =
  'This tenant takes no password: sign in by its own provider, at /login of the portal. An AdminUser who has a second factor may still use one.'

export const factorOfOneselfFirst =
  'This tenant asks for a second factor, which its provider does not show. Sign in as yourself, enrol one in your profile, and come back.'

export interface ProviderRule {
  readonly issuer: string
  readonly isRequired: boolean
  readonly trustsItsSecondFactor: boolean
  /** Whether the person administers the users of the tenant. */
  readonly isAdminUser: boolean
}

/**
 * How somebody comes in, who signed in by `issuer`, or as themselves. `asEver`: with what the policy of the tenant asks; `withFactor`: with a second factor
 * in any case; `trusted`: without one; `over`: the provider was changed since.
 */
export function wayIn(
  rule: ProviderRule | undefined,
  issuer: string | undefined,
): 'asEver' | 'withFactor' | 'trusted' | 'refused' | 'over' {
  if (issuer !== undefined) {
    if (rule?.issuer !== issuer) return 'over'
    return rule.trustsItsSecondFactor ? 'trusted' : 'asEver'
  }
  if (rule?.isRequired !== true) return 'asEver'
  return rule.isAdminUser ? 'withFactor' : 'refused'
}

/** The scopes to ask for: without `openid` there is nobody to be told of. */
export function scopesOf(given: readonly string[] | undefined): string[] {
  return [...new Set(['openid', ...(given ?? ['email', 'profile'])])]
}

/** What is wrong with settings as a whole. */
export function findProviderIssues(input: ProviderInput): Issue[] {
  if (input.issuer === null) {
    const others = (['clientId', 'clientSecret', 'scopes', 'isRequired', 'trustsItsSecondFactor'] as const).filter(
      (name) => input[name] !== undefined,
    )
    return others.map((name) => finding(`$.${name}`, 'With issuer null the provider is removed, and nothing else is given.'))
  }
  const { search, hash, username, password } = new URL(input.issuer)
  return [
    ...(search + hash + username + password === ''
      ? []
      : [finding('$.issuer', 'An issuer has no query, no fragment and no password. Take it from the provider’s metadata.')]),
    ...(input.clientId === undefined ? [finding('$.clientId', 'Give the clientId that the provider knows us by.')] : []),
  ]
}

/** Two spellings of an address are one issuer. */
export const isSameIssuer = (one: string, other: string): boolean => new URL(one).href === new URL(other).href

/** What people are shown of a provider, which has no other name here. */
export const hostOfIssuer = (issuer: string): string => new URL(issuer).host
