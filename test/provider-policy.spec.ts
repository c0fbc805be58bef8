/** What a tenant asks beside its own provider, or in place of a password. */
import { beforeAll, describe, expect, it } from 'vitest'

import { holdingOf, rolesOfAbsent } from '#platform/holding.ts'
import { flagOf } from '#platform/roles.ts'
import { hashToken } from '#platform/sessions.ts'
import { conversationTopic } from '#tools/messaging/conversations/waiting.ts'

import { newPasskey } from './support/authenticator.ts'
import { enrolApp, joinTenant, newPerson, newSession, strangerAt } from './support/persons.ts'
import { hiddenFields } from './support/portal.ts'
import { newAccount, problemOf, titleOf, useProvider } from './support/provider.ts'
import { refused } from './support/refused.ts'
import { watchWaiters } from './support/waiters.ts'
import type { World } from './support/world.ts'

const used = useProvider()
const { acceptBy, call, invited, linkedPerson, newTenantWithProvider, setProvider, signInBy, visit, whoami } = used

let world: World
beforeAll(() => {
  ;({ world } = used.opened)
})

describe('a tenant that takes no passwords', () => {
  it('takes them from an AdminUser who shows a second factor, and from nobody else, by no way', async () => {
    const { of, at } = await newTenantWithProvider({ isRequired: true })
    const person = await newPerson(world, of)
    const admin = await newPerson(world, of, ['AdminUser'])
    const byForm = await visit().signIn(person)
    expect([byForm.status, problemOf(byForm)]).toEqual([403, expect.stringContaining('takes no password')])
    expect((await visit().signIn(admin)).status).toBe(403)
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: person.userName, password: person.password })
    await expect(stranger('select_tenant', { signInToken, tenantId: of.tenantId })).rejects.toMatchObject(
      refused('forbidden', /takes no password/),
    )
    const elsewhere = await world.newTenant()
    await joinTenant(world, person.userId, elsewhere)
    const session = await stranger('select_tenant', { signInToken, tenantId: elsewhere.tenantId })
    await expect(call('select_tenant', { tenantId: of.tenantId }, { key: session.token })).rejects.toMatchObject(refused('forbidden'))
    const token = await visit().ask('/api/auth/login', {
      method: 'POST',
      body: JSON.stringify({ username: person.userName, password: person.password, tenant: at }),
      headers: { 'content-type': 'application/json' },
    })
    expect(token.status).toBe(403)
    const basic = `Basic ${Buffer.from(`${person.userName}:${person.password}`).toString('base64')}`
    expect((await visit().ask(`/llms-full.txt?tenant=${at}`, { headers: { authorization: basic } })).status).toBe(403)
    const { app } = await enrolApp(world, await newSession(world, admin))
    const visitor = visit()
    const factor = await visitor.signIn(admin)
    const done = await visitor.submit(factor, '/login/code', { code: app.generate() })
    expect([done.status, done.location]).toEqual([303, `/t/${at}`])
  })

  it('still lets an account be linked by a password', async () => {
    const { of, at } = await newTenantWithProvider({ isRequired: true })
    const person = await newPerson(world, of)
    const visitor = visit()
    const page = await signInBy(visitor, newAccount(), at)
    const ask = await visitor.submit(page, '/login', { username: person.userName, password: person.password })
    expect((await visitor.submit(ask, '/login/provider/link')).status).toBe(303)
    expect(await whoami(visitor, at)).toMatchObject({ tenantUserId: person.tenantUserId })
  })
})

describe('the second factor that a tenant asks for', () => {
  it('is asked for beside the provider, unless the tenant trusts that of the provider', async () => {
    const { of, at } = await newTenantWithProvider()
    await call('set_sign_in_policy', { tenantId: of.tenantId, secondFactor: 'all' }, { key: of.key })
    const { person, account } = await linkedPerson(of)
    const refusal = await signInBy(visit(), account, at)
    expect([refusal.status, problemOf(refusal)]).toEqual([403, expect.stringContaining('enrol one in your profile')])
    const { app } = await enrolApp(world, await newSession(world, person))
    const visitor = visit()
    const factor = await signInBy(visitor, account, at)
    expect([factor.status, titleOf(factor)]).toEqual([200, 'Your second factor'])
    expect((await whoami(visitor, at)).status).toBe(401)
    const done = await visitor.submit(factor, '/login/code', { code: app.generate() })
    expect(done.status).toBe(303)
    // The factor makes it no sign-in of the person's own.
    expect((await visitor.call(at, 'profile')).status).toBe(403)
    await setProvider({ trustsItsSecondFactor: true }, of)
    expect((await signInBy(visit(), account, at)).status).toBe(303)
  })

  it('is enrolled by whoever is nobody but a user of that tenant', async () => {
    const { of, at } = await newTenantWithProvider()
    const account = newAccount({ email: 'new-here@example.com' })
    const { url } = await invited('new-here@example.com', of)
    await call('set_sign_in_policy', { tenantId: of.tenantId, secondFactor: 'all' }, { key: of.key })
    const visitor = visit()
    const page = await acceptBy(visitor, url, account)
    expect([page.status, titleOf(page)]).toEqual([200, 'A second factor is needed'])
    expect((await whoami(visitor, at)).status).toBe(401)
    // A factor beside the provider, and no way in without it.
    const { signInToken: key = '' } = hiddenFields(page.text, '/login/enrol/begin')
    const passkey = newPasskey(world.config.portalUrl)
    const { factorId, options } = await call('enroll_passkey', {}, { key })
    await call('confirm_passkey', { factorId, credential: passkey.create(options) }, { key })
    const stranger = strangerAt(world)
    const { signInToken, options: asked } = await stranger('login', { passkey: true })
    const credential = passkey.get(asked, { userHandle: options.user.id })
    await expect(stranger('verify_second_factor', { signInToken, credential })).rejects.toMatchObject(refused('unauthenticated'))
  })
})

describe('a call that waits in a session that began by the provider', () => {
  it('has no role that the provider may not give, nor has what was made in it once it is over', async () => {
    const { of } = await newTenantWithProvider({}, flagOf(['AdminUser', 'DataView', 'DataEdit']))
    const person = await newPerson(world, of, ['DataView', 'DataEdit', 'BuilderAdmin'])
    const key = await newSession(world, person)
    await world.sql`update platform.session set provider_issuer = ${used.opened.provider.issuer} where token_hash = ${hashToken(key)}`
    const { pipeline, services } = world.platform
    const actor = await pipeline.identify({ kind: 'bearer', token: key })
    const most = flagOf(['DataView', 'DataEdit'])
    const holding = holdingOf(services, actor)
    services.wake.poke('credentials')
    expect([actor.roleFlag, await holding.roles(), await rolesOfAbsent(services, actor)]).toEqual([most, most, most])
    await world.sql`delete from platform.session where token_hash = ${hashToken(key)}`
    expect(await rolesOfAbsent(services, actor)).toBe(most)
    holding.close()
  })

  it('ends where the provider is gone, though the session is still there', async () => {
    const { of } = await newTenantWithProvider()
    const key = await newSession(world, await newPerson(world, of))
    await world.sql`update platform.session set provider_issuer = ${used.opened.provider.issuer} where token_hash = ${hashToken(key)}`
    const { pipeline, services } = world.platform
    const holding = holdingOf(services, await pipeline.identify({ kind: 'bearer', token: key }))
    await world.sql`delete from platform.identity_provider where tenant_id = ${of.tenantId}`
    services.wake.poke('credentials')
    await expect(holding.roles()).rejects.toMatchObject(refused('unauthenticated'))
    holding.close()
  })

  it('ends with the provider', async () => {
    const { of } = await newTenantWithProvider()
    const person = await newPerson(world, of, ['DataView', 'DataEdit'])
    const key = await newSession(world, person)
    await world.sql`update platform.session set provider_issuer = ${used.opened.provider.issuer} where token_hash = ${hashToken(key)}`
    const waiters = watchWaiters(world)
    const { conversationId } = await call('send_message', { to: { tenantUserId: person.tenantUserId }, text: 'Is the gate open?' }, { key })
    const answer = call('await_reply', { conversationId, timeoutSeconds: 50 }, { key })
    answer.catch(() => {})
    await waiters.reached(conversationTopic(conversationId))
    await call('set_identity_provider', { tenantId: of.tenantId, issuer: null }, { key: of.key })
    await expect(answer).rejects.toMatchObject(refused('unauthenticated'))
  })
})
