/** What a tenant may be called and look like. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { quoted } from '#platform/suggest.ts'

/** Names that the installation keeps for itself. */
const reservedSubDomains = new Set('www api app mcp portal admin mail login auth static docs status'.split(' '))

/** Where a tenant is reached: at its own host, or at its sub-domain of the installation's domain, which is stored nowhere, so that it follows the setting. */
export function hostOf({ host, subDomain }: { readonly host: string | null; readonly subDomain: string }, tenantDomain: string): string {
  return host ?? `${subDomain}.${tenantDomain}`
}

export function findSubDomainIssue(subDomain: string): Issue | undefined {
  if (!reservedSubDomains.has(subDomain)) return undefined
  return finding('$.subDomain', `The installation keeps ${quoted(subDomain)} for itself. Choose another sub-domain.`)
}

/** A host that is the installation's own, or the address of a sub-domain that it keeps: who reads `login.` in front of its domain takes it for its own. */
export function findHostIssue(host: string, own: readonly string[], tenantDomain: string): Issue | undefined {
  const subDomain = host.endsWith(`.${tenantDomain}`) ? host.slice(0, -tenantDomain.length - 1) : ''
  if (!own.includes(host) && !reservedSubDomains.has(subDomain)) return undefined
  return finding('$.host', `The installation keeps ${quoted(host)} for itself. Choose another host.`)
}
