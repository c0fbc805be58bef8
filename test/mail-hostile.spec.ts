/** Mails that were made to do harm, through our own listener. */
import { describe, expect, it } from 'vitest'

import { useMail } from './support/mail.ts'
import type { Sent } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { longestTurn } from './support/turns.ts'

const mails = useMail()
const { newNumber, newAddress, deliver, mailTo, lastTaken, repliesOf, delivered, post } = mails
const { call } = mails.world

describe('a hostile mail', () => {
  /** Its bytes as they are, through a session of SMTP. */
  async function postRaw(to: string, raw: string, sender = 'ana@customer.example'): Promise<void> {
    await post({ envelope: { from: sender, to: [to] }, raw: Buffer.from(raw, 'latin1') })
  }
  const head = (from: string, more = '') => `From: ${from}\r\nTo: us\r\nSubject: Re\r\n${more}`

  it('of very many lines or parts is read or refused within bounds, and meanwhile calls are answered', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    const bombs = [
      head(from) + '\r\n' + 'x\r\n'.repeat(7_000_000),
      head(from, 'Content-Type: multipart/mixed; boundary=b\r\n') + '\r\n' + '--b\r\n\r\nx\r\n'.repeat(150_000) + '--b--',
      head(from, 'Content-Type: text/html\r\n') + '\r\n' + '&amp;<p>'.repeat(2_500_000),
    ]
    const { result: outcomes, ms } = await longestTurn(() =>
      Promise.all(
        bombs.map((bomb) =>
          postRaw(replyTo, bomb).then(
            () => 250,
            (error: { responseCode: number }) => error.responseCode,
          ),
        ),
      ),
    )
    expect(outcomes[0]).toBe(554)
    expect(outcomes.slice(1)).toEqual([250, 250])
    // Handing some 50 MB over takes its time as well, but nothing like the ten seconds that reading them here did.
    expect(ms).toBeLessThan(4_000)
    await post({ from, to: replyTo, text: 'still here' })
    expect((await repliesOf(conversationId)).at(-1)).toMatchObject({ text: 'still here' })
  })

  it('with bytes that no text can hold is kept without them, its files too', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await postRaw(
      replyTo,
      head(from, 'Message-ID: <a\0b@x>\r\nContent-Type: multipart/mixed; boundary=b\r\n') +
        '\r\n--b\r\nContent-Type: text/plain; charset=x-none\r\n\r\none\0two \xe9\r\n' +
        `--b\r\nContent-Type: image/p\0ng\r\nContent-Disposition: attachment; filename="../../a\0b.png"\r\n\r\nx\r\n` +
        `--b\r\nContent-Type: ${'t'.repeat(300)}/x\r\nContent-Disposition: attachment; filename="${'n'.repeat(2_000)}.txt"\r\n\r\nx\r\n--b--\r\n`,
    )
    const [reply] = await repliesOf(conversationId)
    expect(reply).toMatchObject({ text: 'onetwo é', assetKeys: [expect.any(String), expect.any(String)] })
    const names = await Promise.all(
      reply.assetKeys.map(async (assetKey: string) => (await call('get_asset', { assetKey })).originalFileName),
    )
    expect(names[0]).toBe('ab.png')
    expect(names[1].length).toBeLessThanOrEqual(255)
  })

  it('is attributed to the user only where it comes from an address of theirs that its domain stands by', async () => {
    const email = newAddress()
    const { tenantUserId } = await call('create_user', { email, userName: `ana${newNumber()}`, roles: [] })
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'email', text: 'Well?' })
    await deliver(sent)
    const replyTo = lastTaken().mail.replyTo?.[0]?.address ?? ''
    await post({ from: email, to: replyTo, text: 'mine' })
    await post({ from: `"${email}" <stranger@elsewhere.example>`, to: replyTo, text: 'a stranger’s' })
    await postRaw(replyTo, `${head(`Ana <${email.replace('customer', 'strict')}>`)}\r\nforged\r\n`)
    const messages = await repliesOf(sent.conversationId)
    expect(messages.map((one: { text: string; fromTenantUserId: number | null }) => [one.text, one.fromTenantUserId])).toEqual([
      ['mine', tenantUserId],
      ['a stranger’s', null],
      ['forged', null],
    ])
  })

  it('whose domain says that it is forged takes no STOP back, and speaks for nobody', async () => {
    const email = `ana${newNumber()}@strict.example`
    const { tenantUserId } = await call('create_user', { email, userName: `strict${newNumber()}`, roles: [] })
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'email', text: 'Well?' })
    await deliver(sent)
    const replyTo = lastTaken().mail.replyTo?.[0]?.address ?? ''
    for (const word of ['STOP', 'START']) await postRaw(replyTo, `${head(email)}\r\n${word}\r\n`, 'x@elsewhere.example')
    const messages = await repliesOf(sent.conversationId)
    expect(messages.map((one: { keyword: string; fromTenantUserId: number | null }) => [one.keyword, one.fromTenantUserId])).toEqual([
      ['stop', null],
      ['start', null],
    ])
    expect((await call('send_message', { to: { tenantUserId }, channel: 'email', text: 'Again?' })).status).toBe('suppressed')
  })

  it('that a machine wrote is no reply, by whichever sign', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    for (const sign of [
      'X-Autorespond: yes\r\n',
      'X-Autoreply: yes\r\n',
      'X-Auto-Reply: yes\r\n',
      'X-Failed-Recipients: somebody@customer.example\r\n',
      'List-Id: <crew.customer.example>\r\n',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n',
    ])
      await postRaw(replyTo, `${head(from, sign)}\r\n--b\r\n\r\naway\r\n--b--\r\n`)
    await post({ from: 'MAILER-DAEMON@customer.example', to: replyTo, text: 'Undeliverable', envelope: { from, to: [replyTo] } })
    expect(await repliesOf(conversationId)).toEqual([])
  })

  it('does not put lines of its own into the header of what we send', async () => {
    const to = newAddress()
    const sent = await mailTo(to, { card: { title: 'Gate\r\nBcc: everybody@elsewhere.example\r\n\r\n<b>' } })
    await deliver(sent)
    const taken = mails.vendor.taken.find((one) => one.to.includes(to))
    expect(taken?.to).toEqual([to])
    expect(taken?.mail.bcc ?? []).toEqual([])
    expect(taken?.mail.subject).toContain('Bcc: everybody@elsewhere.example')
    for (const email of ['a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example', '<a@b.example> c@d.example'])
      await expect(mailTo(email)).rejects.toMatchObject(refused('invalid_input'))
  })

  it('asking for HELP is answered with the text of its channel, once', async () => {
    await call('update_channel', {
      channelId: mails.channel.channelId,
      settings: { host: '127.0.0.1', port: mails.vendor.port, secure: false, from: 'dispatch@ops.example.com', helpText: 'Call 112.' },
    })
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    const help = { from, to: replyTo, text: 'Help', messageId: `<help-${newNumber()}@customer.example>` }
    await post(help)
    await post(help)
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages.map((one: { direction: string; text: string }) => [one.direction, one.text])).toEqual([
      ['outbound', 'Is gate 4 open?'],
      ['inbound', 'Help'],
      ['outbound', 'Call 112.'],
    ])
    await deliver({ conversationId, messageId: messages[2].messageId })
    const { mail } = lastTaken()
    expect(mail.text?.trim()).toBe('Call 112.')
    const sign = (headers: typeof mail.headers) => headers.find((one) => one.key === 'auto-submitted')?.value
    expect(sign(mail.headers)).toBe('auto-replied')
    // What a person or an agent sent is answered by whoever is asked, an absence note included.
    await delivered(from)
    expect(sign(lastTaken().mail.headers)).toBeUndefined()
  })
})
