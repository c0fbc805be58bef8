/** What the authorization server keeps and asks: tokens by their hash, applications sealed, and what persons give and take away. */
import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor } from '#platform/operation.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import { administratorRoles, rolesOf } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { hashToken, refuseStaleProof, sessionIdOf } from '#platform/sessions.ts'

import { tellOfChange, tellPerson } from '../account/notices.ts'
import { type EndedBy, endGrant } from './ending-grants.ts'
import { findGrantOf, findServedGrant, type GrantOf, letsAppsIn, saveGrant, type ServedGrant } from './grants.store.ts'
import {
  deletePending,
  deleteToken,
  findClient,
  findPending,
  findToken,
  insertClient,
  insertToken,
  type NewToken,
  type Payload,
  savePending,
  type TokenRow,
  useToken,
} from './tokens.store.ts'

/** From where, for the audit log. */
export interface Told {
  readonly requestId: string
  readonly ip: string | undefined
}

export interface Given extends GrantOf {
  readonly clientName: string
  readonly roleFlag: number
}

export interface Serving {
  /** False where the grant has ended meanwhile. */
  saveToken(token: Omit<NewToken, 'hash'> & { readonly id: string }): Promise<boolean>
  findToken(kind: NewToken['kind'], id: string): Promise<TokenRow | undefined>
  /** Marks it used. A token that was used longer than the grace ago ends its grant, and the person is told. False then, and where there is none. */
  useToken(id: string, graceSeconds: number, told: Told): Promise<boolean>
  dropToken(id: string): Promise<void>
  saveClient(clientId: string, metadata: Payload): Promise<void>
  findClient(clientId: string): Promise<Payload | undefined>
  savePending(id: string, payload: Payload, seconds: number): Promise<void>
  findPending(id: string): Promise<Payload | undefined>
  dropPending(id: string): Promise<void>
  findGrant(grantId: number): Promise<ServedGrant | undefined>
  /** The roles that were given before and still hold. */
  givenBefore(of: GrantOf): Promise<number | undefined>
  letsAppsIn(tenantId: number): Promise<boolean>
  /** Lets an application in, in the name of whoever's session it is. Throws AppError `fresh_proof_required`, `forbidden`. */
  give(session: Actor, given: Given, told: Told): Promise<number>
  /** `wasStolen`: a token was used again, and the person is told so. */
  endGrant(grantId: number, wasStolen: boolean, told: Told): Promise<void>
}

const boundTo = (clientId: string) => `application:${clientId}`

export function createServing(services: Services): Serving {
  const { databases, secrets, wake } = services

  async function end(grantId: number, wasStolen: boolean, told: Told): Promise<void> {
    const by: EndedBy = { operation: wasStolen ? 'end_replayed_app' : 'revoke_connected_app', transport: 'rest', ...told }
    const ended = await endGrant(services, grantId, by)
    if (!ended || !wasStolen) return
    await databases.lookUp((tx) =>
      tellPerson(tx, services, ended.userId, {
        subject: 'An application was disconnected',
        text: `A key of the application ${ended.clientName} was used a second time, as happens when somebody has stolen it. Its access is over; connect it again if it is yours.`,
      }),
    )
    wake.poke(mailsTopic)
  }

  return {
    saveToken: ({ id, ...token }) => databases.lookUp((tx) => insertToken(tx, { ...token, hash: hashToken(id) })),
    findToken: (kind, id) => databases.lookUp((tx) => findToken(tx, kind, hashToken(id))),
    async useToken(id, graceSeconds, told) {
      const used = await databases.lookUp((tx) => useToken(tx, hashToken(id), graceSeconds))
      if (used && !used.counts) await end(used.grantId, true, told)
      return used?.counts === true
    },
    dropToken: (id) => databases.lookUp((tx) => deleteToken(tx, hashToken(id))),
    async saveClient(clientId, metadata) {
      const sealed = secrets.sealOwn(boundTo(clientId), JSON.stringify(metadata))
      await databases.lookUp((tx) => insertClient(tx, clientId, sealed))
    },
    async findClient(clientId) {
      const sealed = await databases.lookUp((tx) => findClient(tx, clientId))
      // The seal vouches that it is what saveClient wrote.
      return sealed && (JSON.parse(secrets.unsealOwn(boundTo(clientId), sealed)) as Payload)
    },
    savePending: (id, payload, seconds) => databases.lookUp((tx) => savePending(tx, hashToken(id), payload, seconds)),
    findPending: (id) => databases.lookUp((tx) => findPending(tx, hashToken(id))),
    dropPending: (id) => databases.lookUp((tx) => deletePending(tx, hashToken(id))),
    findGrant: (grantId) => databases.lookUp((tx) => findServedGrant(tx, grantId)),
    givenBefore: async (of) => (await databases.lookUp((tx) => findGrantOf(tx, of)))?.roleFlag,
    letsAppsIn: (tenantId) => databases.lookUp((tx) => letsAppsIn(tx, tenantId)),
    async give(session, given, { requestId, ip }) {
      const isOfAdministrators = (given.roleFlag & administratorRoles) !== 0
      if (isOfAdministrators) refuseStaleProof(session)
      const grantId = await databases.lookUp(async (tx) => {
        const saved = await saveGrant(tx, { ...given, userId: session.userId, sessionId: sessionIdOf(session) ?? 0 })
        if (saved !== undefined && isOfAdministrators)
          await tellOfChange(tx, services, session.userId, `The application ${given.clientName} may now act as an administrator for you.`)
        return saved
      })
      if (grantId === undefined)
        throw new AppError(
          'forbidden',
          'This tenant lets no application in, you are not its user any more, or your session ended: sign in again.',
        )
      wake.poke(credentialsTopic)
      const facts = { appId: grantId, name: given.clientName, clientId: given.clientId, roles: rolesOf(given.roleFlag) }
      await databases.transact({ tenantId: given.tenantId }, ({ tx }) =>
        insertAuditEvent(tx, {
          tenantId: given.tenantId,
          actor: session,
          operation: 'connect_app',
          outcome: 'done',
          transport: 'rest',
          requestId,
          ip,
          facts,
        }),
      )
      return grantId
    },
    endGrant: end,
  }
}
