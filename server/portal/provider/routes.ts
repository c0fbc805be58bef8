/** The way to a tenant's own provider and back. It begins and ends at the portal's own address, whatever host somebody came by: the provider knows no other. */
import { AppError } from '#platform/errors.ts'
import { hostNameOf } from '#platform/tenant-hosts.ts'
import { escape } from '#server/pages/page.ts'
import {
  describeLink,
  leaveForProvider,
  linkWaiting,
  memorySeconds,
  type NamedProvider,
  providerAwayAt,
  providerOf,
  type ProviderReturn,
  returnFromProvider,
  waitingAccount,
} from '#tools/auth/service.ts'

import { dropCookie, providerCookie, providerMemoryOf, returnPath, setCookie } from '../browser.rules.ts'
import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import { type Aim, aimOf, button, type Frame, frameOf, isOwnForm, quietButton } from '../sign-in/frame.ts'
import { toldOf } from '../sign-in/problems.ts'
import { loginPage } from '../sign-in/routes.ts'
import { enterTenant, type SignInParts, withCookies } from '../sign-in/steps.ts'

const aimTo = ({ subDomain }: NamedProvider, returnTo: string): Aim => ({ returnTo, tenant: subDomain, link: undefined })

export interface ProviderRoutes {
  readonly routes: (parts: SignInParts) => PortalRoute[]
  readonly askToLink: SignInParts['askToLink']
}

export function createProviderRoutes(parts: Omit<SignInParts, 'askToLink' | 'openLink'>): ProviderRoutes {
  const { services, isSecure } = parts
  const home = new URL(services.config.portalUrl)
  const keep = (memory: string) => setCookie(providerCookie, memory, isSecure, memorySeconds)
  const forget = dropCookie(providerCookie, isSecure)

  /** The login page with what went wrong. */
  function refusal(frame: Frame, error: unknown, provider: NamedProvider | undefined, aim: Aim): PortalAnswer {
    if (!(error instanceof AppError)) throw error
    const { texts } = frame
    const name = provider?.name ?? ''
    if (error.code === 'unavailable') return loginPage(frame, aim, { status: 503, problem: texts.providerDown(name), provider })
    const told = toldOf(error, texts, provider ? texts.providerRefused(name) : texts.providerOver)
    if (!told) throw error
    return loginPage(frame, aim, { status: told.status, problem: told.problem, provider })
  }

  async function leave(visit: Visit): Promise<PortalAnswer> {
    const frame = frameOf(visit, parts)
    const { path, query } = visit
    // What the browser keeps is kept for the address that the provider sends it back to.
    if (hostNameOf(visit.host) !== home.hostname) return frame.go(`${home.origin}${path}?${query.toString()}`)
    const aim = aimOf(query)
    const subDomain = aim.tenant ?? ''
    try {
      const { url, memory } = await leaveForProvider(services, { subDomain, returnTo: aim.returnTo, ip: visit.ip })
      return frame.go(url, [keep(memory)])
    } catch (error) {
      const provider = await providerOf(services, { subDomain }, visit.ip)
      return refusal(frame, error, provider, { ...aim, link: undefined, isLinking: false })
    }
  }

  /** From an invitation: a page with the link that leads on, since a form may be sent to us alone. */
  async function acceptByProvider(visit: Visit): Promise<PortalAnswer> {
    const fields = await visit.form()
    const frame = frameOf(visit, parts)
    const { texts, show } = frame
    const token = (fields.get('token') ?? '').slice(0, 200)
    const noAim: Aim = { returnTo: '/', tenant: undefined, link: undefined }
    if (!isOwnForm(visit, fields, parts)) return loginPage(frame, noAim, { status: 403, problem: texts.stale })
    const link = await describeLink(services, token, visit.ip)
    if (link?.kind !== 'invitation') return loginPage(frame, noAim, { status: 410, problem: texts.linkOver })
    try {
      const { url, memory, provider } = await leaveForProvider(services, {
        subDomain: link.subDomain,
        returnTo: '/',
        link: token,
        ip: visit.ip,
      })
      return show({
        title: texts.inviteTitle(link.tenantName),
        lead: texts.providerLead(provider.name),
        after: `<p class="send"><a class="button main" href="${escape(url)}">${escape(texts.byProvider(provider.name))}</a></p>`,
        cookies: [keep(memory)],
      })
    } catch (error) {
      return refusal(frame, error, await providerOf(services, { subDomain: link.subDomain }, visit.ip), { ...noAim, link: token })
    }
  }

  async function comeBack(signIn: SignInParts, visit: Visit): Promise<PortalAnswer> {
    const frame = frameOf(visit, parts)
    const memory = providerMemoryOf(visit.raw.headers)
    try {
      const { query, ip, requestId } = visit
      return await arrive(signIn, visit, frame, await returnFromProvider(services, { memory, query, ip, requestId }))
    } catch (error) {
      const provider = await providerAwayAt(services, memory, visit.ip)
      const aim = { returnTo: '/', tenant: provider?.subDomain, link: undefined }
      // What the browser keeps stays: any page may send it here, and what was taken counts no more.
      return refusal(frame, error, provider, aim)
    }
  }

  async function arrive(signIn: SignInParts, visit: Visit, frame: Frame, back: ProviderReturn): Promise<PortalAnswer> {
    const { texts } = frame
    const { provider } = back
    if (back.kind === 'refused') {
      const problem = {
        invitationOver: texts.linkOver,
        otherAddress: texts.providerOther(provider.name),
        memberAlready: texts.providerMember,
      }[back.why]
      const status = { invitationOver: 410, otherAddress: 403, memberAlready: 409 }[back.why]
      return loginPage(frame, aimTo(provider, '/'), { status, problem, provider, cookies: [forget] })
    }
    const aim = aimTo(provider, returnPath(back.returnTo))
    if (back.kind === 'unlinked')
      return loginPage(frame, { ...aim, isLinking: true }, { notice: texts.providerUnlinked(provider.name), cookies: [keep(back.memory)] })
    return enter(signIn, visit, aim, back.step.signInToken, provider)
  }

  async function enter(signIn: SignInParts, visit: Visit, aim: Aim, signInToken: string, provider: NamedProvider): Promise<PortalAnswer> {
    const entry = { signInToken, tenantId: provider.tenantId, isByProvider: true }
    try {
      return withCookies(await enterTenant(signIn, visit, aim, entry), [forget])
    } catch (error) {
      return withCookies(refusal(frameOf(visit, parts), error, provider, aim), [forget])
    }
  }

  async function askToLink(
    visit: Visit,
    { signInToken, tenantId }: { readonly signInToken: string; readonly tenantId: number },
  ): Promise<PortalAnswer | undefined> {
    const waiting = await waitingAccount(services, providerMemoryOf(visit.raw.headers), visit.ip)
    if (waiting?.provider.tenantId !== tenantId) return undefined
    const { texts, show } = frameOf(visit, parts)
    const { name, tenantName, subDomain } = waiting.provider
    const hidden = { signInToken, tenantId: String(tenantId), tenant: subDomain }
    return show({
      title: texts.linkAccountTitle,
      lead: texts.linkAccountLead(waiting.account, name, tenantName),
      forms: [
        { action: '/login/provider/link', hidden, fields: '', send: button(texts.linkAccount) },
        { action: '/login/tenant', hidden, fields: '', send: quietButton(texts.linkAccountNot) },
      ],
    })
  }

  async function link(signIn: SignInParts, visit: Visit): Promise<PortalAnswer> {
    const fields = await visit.form()
    const frame = frameOf(visit, parts)
    const { texts } = frame
    const aim = { ...aimOf(fields), isLinking: false }
    if (!isOwnForm(visit, fields, parts)) return loginPage(frame, aim, { status: 403, problem: texts.stale })
    const { ip, requestId } = visit
    try {
      const asked = { memory: providerMemoryOf(visit.raw.headers), signInToken: fields.get('signInToken') ?? '', ip, requestId }
      const { provider, returnTo, step } = await linkWaiting(services, asked)
      return await enter(signIn, visit, aimTo(provider, returnPath(returnTo)), step.signInToken, provider)
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'already_exists'
      const answer = isTaken ? loginPage(frame, aim, { status: 409, problem: texts.accountTaken }) : refusal(frame, error, undefined, aim)
      return withCookies(answer, [forget])
    }
  }

  return {
    askToLink,
    routes: (signIn) => [
      { method: 'GET', path: '/login/provider', answer: leave },
      { method: 'GET', path: '/login/provider/callback', answer: (visit) => comeBack(signIn, visit) },
      { method: 'POST', path: '/login/provider/accept', answer: acceptByProvider },
      { method: 'POST', path: '/login/provider/link', answer: (visit) => link(signIn, visit) },
    ],
  }
}
