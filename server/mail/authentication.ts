/** What SPF, DKIM and DMARC say of a mail, within a time: a network without DNS must not hold up mail. */
import { Resolver } from 'node:dns/promises'

import { authenticate, type DNSResolver } from 'mailauth'

export interface Arrival {
  readonly ip: string
  readonly helo: string
  /** Of MAIL FROM; empty for the null sender. */
  readonly sender: string
  /** Our own name. */
  readonly mta: string
}

/** What each check said: pass, fail, none, temperror and the like. */
export type Authentication = Readonly<Record<'spf' | 'dkim' | 'dmarc', string>>

/** Of a mail whose sender nobody was asked about. */
export const unknownSender: Authentication = { spf: 'none', dkim: 'none', dmarc: 'none' }

const lookUpMs = 1_500
const wholeMs = 6_000

/** Asks the machine's name servers, once each, for at most a second and a half. */
export function boundedResolver(): DNSResolver {
  const resolver = new Resolver({ timeout: lookUpMs, tries: 1 })
  // The kinds of records that mailauth asks for (TXT, MX, A, AAAA, PTR) are answered as texts or lists of texts, as its type says.
  return (domain, rrtype) => resolver.resolve(domain, rrtype) as Promise<string[]>
}

/** The results by their names, `temperror` for what could not be found out in time. Never throws. */
export async function authenticateMail(mail: Buffer, arrival: Arrival, resolver: DNSResolver): Promise<Authentication> {
  const late: Authentication = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' }
  let limit: NodeJS.Timeout | undefined
  try {
    const asked = authenticate(mail, { ...arrival, resolver, disableArc: true, disableBimi: true })
    const found = await Promise.race([asked, new Promise<undefined>((resolve) => (limit = setTimeout(() => resolve(undefined), wholeMs)))])
    asked.catch(() => {})
    if (!found) return late
    const signatures = found.dkim.results.map((one) => one.status.result)
    return {
      spf: (found.spf && found.spf.status.result) || 'none',
      dkim: signatures.includes('pass') ? 'pass' : (signatures[0] ?? 'none'),
      dmarc: (found.dmarc && found.dmarc.status.result) || 'none',
    }
  } catch {
    return late
  } finally {
    clearTimeout(limit)
  }
}
