/** What a tenant may be called and look like. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { Theme } from './tenants.schema.ts'

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

const variable = /^--theme-[a-z0-9]+(?:-[a-z0-9]+)*$/
// Nothing that could leave the declaration, or fetch.
const forbidden = /[;{}<>\\]|\/\*|url\s*\(|expression\s*\(|@import/i
const variablesMax = 200
const valueMax = 200

function asRecord(given: unknown): Record<string, unknown> | undefined {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Record<string, unknown>) : undefined
}

/** A theme as JSON text or object: its variables, or what is wrong with it. */
export function readTheme(given: string | Readonly<Record<string, unknown>>): { readonly theme: Theme; readonly issues: readonly Issue[] } {
  const issues: Issue[] = []
  const refuse = (path: string, message: string, suggestion?: string) => issues.push(finding(path, message, { suggestion }))
  let record: Record<string, unknown> | undefined
  try {
    record = asRecord(typeof given === 'string' ? (JSON.parse(given) as unknown) : given)
  } catch {
    record = undefined
  }
  if (!record) {
    refuse('$.cssJson', 'A JSON object of theme variables is needed, such as {"--theme-primary": "#0a5"}.')
    return { theme: {}, issues }
  }
  const theme: Record<string, string> = {}
  for (const [name, value] of Object.entries(record).slice(0, variablesMax + 1)) {
    const path = `$.cssJson.${name.slice(0, 80)}`
    if (!variable.test(name))
      refuse(
        path,
        `${quoted(name)} is no theme variable. Their names begin with --theme-.`,
        nearest(name, [`--theme-${name.replace(/^-+/, '').toLowerCase()}`]),
      )
    else if (typeof value !== 'string' && typeof value !== 'number') refuse(path, 'The value is a text or a number.')
    else if (String(value).length > valueMax || forbidden.test(String(value)))
      refuse(path, `The value is at most ${valueMax} characters, without ; { } < > \\ or url().`)
    else theme[name] = String(value)
  }
  if (Object.keys(record).length > variablesMax) refuse('$.cssJson', `A theme has at most ${variablesMax} variables.`)
  return { theme, issues }
}
