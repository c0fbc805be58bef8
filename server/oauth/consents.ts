/** Authorizations that wait for their person: what is asked, what was given before, and what comes of the answer. */
import type { Interaction, Provider } from 'oidc-provider'

import { AppError } from '#platform/errors.ts'
import type { Actor } from '#platform/operation.ts'
import { rolesByHand } from '#platform/grants.ts'
import type { Consents } from '#platform/consents.ts'
import type { Resources } from '#platform/resources.ts'
import { roleBits, rolesOf, tenantAdminRoles } from '#platform/roles.ts'
import type { Serving } from '#tools/auth/service.ts'

import { rolesIn } from './adapter.ts'
import { idHostOf, redirectTarget, shownName } from './clients.rules.ts'

export interface ConsentParts {
  readonly provider: Provider
  readonly serving: Serving
  readonly resources: Resources
  readonly schemes: readonly string[]
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** What can be given: what the person has, but never GlobalAdmin. */
const givable = (session: Pick<Actor, 'roleFlag'>): number => session.roleFlag & tenantAdminRoles

/** What is ticked before the person looks: what was asked for and is held, but for what is given by hand alone. Nothing asked: reading. */
function tickedFirst(askedRoles: number, session: Pick<Actor, 'roleFlag'>): number {
  return (askedRoles === 0 ? roleBits.DataView : askedRoles) & givable(session) & ~rolesByHand
}

export function createConsents({ provider, serving, resources, schemes }: ConsentParts): Consents {
  async function finish(uid: string, change: (interaction: Interaction) => void): Promise<string> {
    const interaction = await provider.Interaction.find(uid)
    if (!interaction) throw new Error('An authorization ended while it was answered')
    change(interaction)
    await interaction.save(Math.max(1, interaction.exp - Math.floor(Date.now() / 1000)))
    const { pathname } = new URL(interaction.returnTo)
    return pathname
  }

  return {
    async find(uid, cookie) {
      if (cookie !== uid || !/^[\w-]{10,64}$/.test(uid)) return undefined
      const interaction = await provider.Interaction.find(uid)
      const client = interaction && (await provider.Client.find(text(interaction.params['client_id'])))
      const target = interaction && redirectTarget(text(interaction.params['redirect_uri']), schemes)
      const resource = interaction && (await resources.named(text(interaction.params['resource']), 'oauth'))
      if (!client || !target || !resource || interaction.result !== undefined) return undefined
      const idHost = idHostOf(client.clientId)
      return {
        uid,
        client: {
          id: client.clientId,
          name: shownName(client.clientName, idHost ?? target.host),
          idHost,
          redirectHost: target.host,
          isLoopback: target.isLoopback,
        },
        redirectSource: target.source,
        resource,
        askedRoles: rolesIn(interaction.params['scope']) & tenantAdminRoles,
        // Any program of the machine, or of the device, could call itself by the same name.
        mustShow: /(?:^| )(?:consent|login)(?: |$)/.test(text(interaction.params['prompt'])) || !target.source.startsWith('https:'),
      }
    },
    async givenBefore({ client, askedRoles, mustShow }, session) {
      if (mustShow) return undefined
      const of = { tenantId: session.tenantId, tenantUserId: session.tenantUserId, clientId: client.id, redirectHost: client.redirectHost }
      const given = await serving.givenBefore(of)
      return given !== undefined && (askedRoles & givable(session) & ~given) === 0 ? given : undefined
    },
    letsAppsIn: (tenantId) => serving.letsAppsIn(tenantId),
    offer: ({ askedRoles }, session) => ({ givable: givable(session), ticked: tickedFirst(askedRoles, session) }),
    async give({ uid, client }, session, roleFlag, told) {
      const { tenantId, tenantUserId, userId } = session
      if (session.isOfProvider === true) throw new AppError('forbidden', 'A person lets applications in who signed in as themselves.')
      const roles = roleFlag & givable(session)
      const given = {
        tenantId,
        tenantUserId,
        clientId: client.id,
        redirectHost: client.redirectHost,
        clientName: client.name,
        roleFlag: roles,
      }
      const grantId = await serving.give(session, given, told)
      return finish(uid, (interaction) => {
        interaction.params['scope'] = [...rolesOf(roles), 'offline_access'].join(' ')
        interaction.result = { login: { accountId: String(userId), remember: false }, consent: { grantId: String(grantId) } }
      })
    },
    refuse: ({ uid }) =>
      finish(uid, (interaction) => {
        interaction.result = { error: 'access_denied', error_description: 'the person refused' }
      }),
  }
}
