/** What tells an MCP host how to get a token, or one with more roles. */
import type { IncomingMessage } from 'node:http'

import { closedToGrants, firstRoles } from '#platform/grants.ts'
import type { Actor } from '#platform/operation.ts'
import type { Registry } from '#platform/registry.ts'
import type { Resource } from '#platform/resources.ts'
import { rolesOf, rolesToGrant } from '#platform/roles.ts'

import { isRecord } from './direct.ts'
import { reaches, type Surface } from './surface.ts'

/** Where a host reads whom to ask for a token; undefined where it could not get one. */
export type Metadata = string | undefined

export function metadataOf(place: Resource | undefined, isOn: boolean): Metadata {
  return place && isOn ? `${place.origin}/.well-known/oauth-protected-resource/mcp` : undefined
}

const words = (members: Readonly<Record<string, string | undefined>>) =>
  Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]))
    .join(', ')

/** The challenge of a 401. */
export function challengeOf({ headers }: Pick<IncomingMessage, 'headers'>, metadata: Metadata): string {
  const token = /^Bearer\s+(\S+)/i.exec(headers.authorization ?? '')?.[1]
  // A key that was mistyped is to be typed again: the host must not open a browser for it.
  const isKey = token?.startsWith('flk_') === true
  const members = words({
    // Without a token nothing was invalid: a client that is told so would throw away one that it has not sent.
    error: token === undefined ? undefined : 'invalid_token',
    ...(metadata === undefined || isKey ? {} : { resource_metadata: metadata, scope: firstRoles.join(' ') }),
  })
  return members === '' ? 'Bearer' : `Bearer ${members}`
}

/** The challenge of a 403 to an application: with the roles that it has, since a host asks for what it is told, and would lose those that are left out. */
export function scopeChallenge(actor: Actor, lacking: number, metadata: Metadata): string {
  return `Bearer ${words({ error: 'insufficient_scope', scope: rolesOf(actor.roleFlag | lacking).join(' '), resource_metadata: metadata })}`
}

/** The roles that an application lacks for the tool calls of a request, and that its person could give it. */
export function lackingRoles(body: unknown, actor: Actor, { byName }: Registry, surface: Surface): number {
  if (actor.kind !== 'grant') return 0
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.reduce<number>((lacking, message) => {
    const operation = byName.get(toolOf(message, surface))
    if (!operation || !reaches(surface, operation) || closedToGrants.has(operation.name)) return lacking
    return lacking | (rolesToGrant(operation.roleRule, actor.roleFlag, actor.grantableRoles ?? 0) ?? 0)
  }, 0)
}

/** The tool that a message calls, itself or through the catalog; empty where it calls none. */
function toolOf(message: unknown, surface: Surface): string {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return ''
  const { name, arguments: input } = message['params']
  const isThrough = surface.kind === 'catalog' && (name === 'call_read_tool' || name === 'call_write_tool')
  const called = isThrough && isRecord(input) ? input['name'] : name
  return typeof called === 'string' ? called : ''
}
