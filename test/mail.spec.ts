/** E-mail out through a real mail server, and the check of who sends in. */
import { describe, expect, it } from 'vitest'

import { authenticateMail } from '#server/mail/authentication.ts'

import { openMailVendor } from './support/mail-vendor.ts'
import { noRecords, useMail } from './support/mail.ts'
import type { Sent } from './support/messaging.ts'

const mails = useMail()
const { world, newAddress, deliver, mailTo, statusOf, lastTaken, delivered } = mails
const { call } = mails.world

describe('an e-mail', () => {
  it('goes out once, with a stable id, a reply address of its conversation, files, and a way to stop', async () => {
    const to = newAddress()
    const { assetKey } = await call(
      'upload_asset',
      { fileName: 'plan ñ.txt', contentBase64: Buffer.from('the plan').toString('base64') },
      { transport: 'mcp' },
    )
    const card = {
      title: 'Gate 4',
      choices: [{ key: 'open', label: 'Open <b>' }],
      link: { label: 'Map', url: 'https://example.com/?a=1&b=2' },
    }
    const sent = await mailTo(to, { card, assetKeys: [assetKey] })
    expect(await deliver(sent)).toEqual({ kind: 'done' })
    await deliver(sent)
    const mine = mails.vendor.taken.filter((one) => one.to.includes(to))
    expect(mine).toHaveLength(1)
    const { mail, from } = mine[0] ?? lastTaken()
    expect(from).toBe('dispatch@ops.example.com')
    expect(mail).toMatchObject({ subject: 'Gate 4', messageId: `<m${sent.messageId}.${world.tenant.tenantId}@ops.example.com>` })
    expect(mail.replyTo).toEqual([
      { address: expect.stringMatching(/^reply\+[0-9a-z]+-[0-9a-z]+-[0-9a-f]{24}@ops\.example\.com$/), name: '' },
    ])
    expect(mail.text?.trim()).toBe(
      'Gate 4\n\nIs gate 4 open?\n\n1. Open <b>\n\nMap: https://example.com/?a=1&b=2\n\nReply with the number of your answer.',
    )
    expect(mail.html).toContain('Open &lt;b&gt;')
    expect(mail.html).toContain('href="https://example.com/?a=1&amp;b=2"')
    expect(mail.attachments.map((one) => [one.filename, Buffer.from(one.content as ArrayBuffer).toString()])).toEqual([
      ['plan ñ.txt', 'the plan'],
    ])
    expect(mail.headers.find((one) => one.key === 'list-unsubscribe')?.value).toContain('subject=STOP')
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 1, providerId: mail.messageId })
  })

  it('continues the thread that it belongs to', async () => {
    const first = await delivered(newAddress())
    const next: Sent = await call('send_message', { conversationId: first.conversationId, text: 'And gate 5?' })
    await deliver(next)
    expect(lastTaken().mail).toMatchObject({
      inReplyTo: first.messageIdHeader,
      references: first.messageIdHeader,
      subject: expect.stringMatching(/^Re: /),
    })
    // A mail program shows another subject as another thread, so the first one stays, whatever titles follow.
    for (const [titles, subject] of [
      [['Gate 4', undefined, 'Gate 5'], 'Gate 4'],
      [[undefined, 'Gate 5'], 'Message from '],
    ] as const) {
      const [title, ...titlesAfter] = titles
      const thread = await delivered(newAddress(), title === undefined ? {} : { card: { title } })
      const shown = lastTaken().mail.subject ?? ''
      expect(shown.startsWith(subject)).toBe(true)
      for (const after of titlesAfter) {
        const more: Sent = await call('send_message', {
          conversationId: thread.conversationId,
          text: 'And?',
          ...(after === undefined ? {} : { card: { title: after } }),
        })
        await deliver(more)
        expect(lastTaken().mail.subject).toBe(`Re: ${shown}`)
      }
    }
  })

  it('is tried again while the server certainly has not taken it, and fails where the server says no', async () => {
    for (const plan of ['laterAtRecipient', 'dieAtRecipient', 'laterAfterData'] as const) {
      const to = newAddress()
      const sent = await mailTo(to)
      mails.vendor.plan(plan)
      await expect(deliver(sent)).rejects.toMatchObject({ type: 'vendorAway' })
      expect((await statusOf(sent)).status).toBe('queued')
      await deliver(sent)
      expect(mails.vendor.taken.filter((one) => one.to.includes(to))).toHaveLength(1)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
    }
    for (const [plan, reason, vendorCode] of [
      ['refuseRecipient', 'badAddress', '550'],
      ['refuseAfterData', 'refused', '554'],
    ] as const) {
      const sent = await mailTo(newAddress())
      mails.vendor.plan(plan)
      expect(await deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason, vendorCode, attempts: 1 })
    }
  })

  it('says unknown where the server took it and gave no word, and is never sent again', async () => {
    const to = newAddress()
    const sent = await mailTo(to)
    mails.vendor.plan('takeAndDie')
    expect(await deliver(sent)).toEqual({ kind: 'done' })
    expect(await statusOf(sent)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    await deliver(sent)
    expect(mails.vendor.taken.filter((one) => one.to.includes(to))).toHaveLength(1)
  })

  it('signs in where the channel has a user, and fails where that is refused or the server is a forbidden one', async () => {
    const strict = await openMailVendor({ user: 'me', password: 'right' })
    const settings = { host: '127.0.0.1', port: strict.port, secure: false, from: 'dispatch@ops.example.com' }
    const channel = await call('create_channel', {
      internalName: 'Strict',
      channel: 'email',
      provider: 'smtp',
      settings,
      secrets: { user: 'me', password: 'right' },
    })
    const good: Sent = await mailTo(newAddress(), { channel: 'Strict' })
    await deliver(good)
    expect(strict.taken.map((one) => one.user)).toEqual(['me'])
    await call('update_channel', { channelId: channel.channelId, secrets: { password: 'wrong' } })
    const bad: Sent = await mailTo(newAddress(), { channel: 'Strict' })
    await deliver(bad)
    expect(await statusOf(bad)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured', vendorCode: '535' })
    await strict.close()
    await world.sql`update platform.channel set settings = settings || '{"host": "10.0.0.1"}' where channel_id = ${channel.channelId}`
    const forbidden: Sent = await mailTo(newAddress(), { channel: 'Strict' })
    await deliver(forbidden)
    expect(await statusOf(forbidden)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured' })
    await call('delete_channel', { channelId: channel.channelId })
  })

  it.each([
    { what: 'a certificate that nobody trusts, by STARTTLS', encryption: 'startTls', secure: false },
    { what: 'a certificate that nobody trusts, from the first byte', encryption: 'tls', secure: true },
    { what: 'no TLS where the channel asks for it', encryption: undefined, secure: true },
  ] as const)('fails at once before $what', async ({ encryption, secure }) => {
    const doubtful = await openMailVendor(encryption === undefined ? {} : { encryption })
    const settings = { host: '127.0.0.1', port: doubtful.port, secure, from: 'dispatch@ops.example.com' }
    const channel = await call('create_channel', { internalName: 'Doubtful', channel: 'email', provider: 'smtp', settings })
    const sent: Sent = await mailTo(newAddress(), { channel: 'Doubtful' })
    await deliver(sent)
    expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured' })
    expect(doubtful.taken).toEqual([])
    await doubtful.close()
    await call('delete_channel', { channelId: channel.channelId })
  })
})

describe('the check of a sender', () => {
  const arrival = { ip: '192.0.2.1', helo: 'mx.customer.example', sender: 'ana@customer.example', mta: 'ops.example.com' }
  const mail = Buffer.from('From: ana@customer.example\r\nTo: x@ops.example.com\r\nSubject: x\r\nMessage-ID: <1@x>\r\n\r\nHi\r\n')

  it('reports what the sender’s records say', async () => {
    const records: Record<string, string[][]> = {
      'customer.example TXT': [['v=spf1 ip4:192.0.2.0/24 -all']],
      '_dmarc.customer.example TXT': [['v=DMARC1; p=reject']],
    }
    const resolver = (domain: string, rrtype: string) => {
      const found = records[`${domain} ${rrtype}`]
      return found ? Promise.resolve(found) : noRecords()
    }
    expect(await authenticateMail(mail, arrival, resolver)).toEqual({ spf: 'pass', dkim: 'none', dmarc: 'pass' })
    expect(await authenticateMail(mail, { ...arrival, ip: '198.51.100.1' }, resolver)).toMatchObject({ spf: 'fail', dmarc: 'fail' })
  })

  it('does not wait for name servers that never answer', async () => {
    const started = performance.now()
    expect(await authenticateMail(mail, arrival, () => new Promise(() => {}))).toEqual({
      spf: 'temperror',
      dkim: 'temperror',
      dmarc: 'temperror',
    })
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})
