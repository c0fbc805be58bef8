/** Messages that fall back to e-mail: in the tenant's words, and the reader's language. */
import { beforeAll, describe, expect, it } from 'vitest'

import { fallBack } from '#tools/messaging/fallback/falling-back.ts'

import { useMail } from './support/mail.ts'
import { newPhone, type Sent } from './support/messaging.ts'

const mails = useMail()
const { world, newAddress, deliver, lastTaken } = mails
const { call } = world
let channelKey = ''
let globalKey = ''
beforeAll(async () => {
  ;({ channelKey } = await call('create_channel', { internalName: 'Texts', channel: 'sms', provider: 'sandbox', settings: {} }))
  globalKey = (await world.newTenant(1023)).key
})

const word = (languageCode: string, subject: string, body: string) =>
  call(
    'save_email_template',
    { tenantId: world.tenant.tenantId, templateType: 'messageFallback', languageCode, subject, body },
    { key: globalKey },
  )

async function newPerson(language: string) {
  const email = newAddress()
  const { tenantUserId } = await call('create_user', { userName: email, email, language, roles: ['DataView'] })
  await call('add_user_contact', { tenantUserId, kind: 'phone', value: newPhone() })
  return { tenantUserId, email }
}

/** Sends by SMS, which fails, and delivers what goes in its place. */
async function fallenBack(to: object, more: object = {}): Promise<Sent> {
  const sent: Sent = await call('send_message', { to, channel: 'Texts', text: 'Is gate 4 open?', fallback: ['email'], ...more })
  const body = Buffer.from(JSON.stringify({ kind: 'status', messageId: sent.messageId, status: 'failed' }))
  await call('receive_channel_webhook', { channelKey }, { raw: { body, headers: {}, url: '/' } })
  while ((await fallBack(world.platform.services)) > 0);
  const { fellBackTo: messageId } = await call('get_message_status', { messageId: sent.messageId })
  const placed: Sent = { ...sent, messageId }
  await deliver(placed)
  expect(await call('get_message_status', { messageId })).toMatchObject({ channel: 'email', status: 'sent' })
  return placed
}

describe('a message that falls back to e-mail', () => {
  it('goes as it ships where the tenant has no words of its own, without a button that leads nowhere', async () => {
    const { tenantUserId, email } = await newPerson('de-DE')
    await fallenBack({ tenantUserId })
    const { mail } = lastTaken()
    const { tenantName } = await call('whoami')
    expect(mail).toMatchObject({ subject: `Eine Nachricht von ${tenantName}`, to: [{ address: email }] })
    expect(mail.text?.trim()).toBe('Is gate 4 open?')
    expect(mail.html).not.toContain('Antworten')
    const card = { choices: [{ key: 'yes', label: 'Yes' }], link: { label: 'The gate', url: 'https://ops.example.com/gates/4' } }
    await fallenBack({ tenantUserId: (await newPerson('en-US')).tenantUserId }, { card })
    expect(lastTaken().mail.subject).toBe(`A message from ${tenantName}`)
    expect(lastTaken().mail.html).toMatch(/<a href="https:\/\/ops\.example\.com\/gates\/4"[^>]*>Answer<\/a>/)
    expect(lastTaken().mail.text?.match(/gates\/4/g)).toHaveLength(1)
    expect(lastTaken().mail.text).toContain('1. Yes')
  })

  it('goes in the words of the tenant for the language of the person, else for its own, with all that was said', async () => {
    await word('en-US', 'News for [[recipient]]', 'Hello,\n\nyou have a message.')
    await word('de-DE', '[[title]] ([[tenant]])', '# Hallo [[recipient]]\n\n[[text]]\n\n- Bitte antworten')
    const german = await newPerson('de-DE')
    const placed = await fallenBack(
      { tenantUserId: german.tenantUserId },
      { card: { title: 'Gate <4>', link: { label: 'Plan', url: 'https://ops.example.com/plan' } } },
    )
    const { tenantName } = await call('whoami')
    const first = lastTaken().mail
    expect(first.subject).toBe(`Gate <4> (${tenantName})`)
    expect(first.text).toContain(`Hallo ${german.email}`)
    expect(first.text).toContain('Plan: https://ops.example.com/plan')
    expect(first.html).toMatch(/<h1[^>]*>Hallo [\s\S]*Gate &lt;4&gt;[\s\S]*<ul><li>Bitte antworten<\/li><\/ul>/)
    expect(first.references ?? '').toBe('')
    await deliver(await call('send_message', { conversationId: placed.conversationId, text: 'And gate 5?' }))
    expect(lastTaken().mail).toMatchObject({ subject: `Re: Gate <4> (${tenantName})`, inReplyTo: first.messageId })
    expect(lastTaken().mail.text?.trim()).toBe('And gate 5?')
    await fallenBack({ tenantUserId: (await newPerson('fr-FR')).tenantUserId })
    expect(lastTaken().mail.text?.trim()).toBe('Hello,\n\nyou have a message.\n\nIs gate 4 open?')
  })
})
