/** E-mail: out through a real mail server, replies in through our own listener and through the channel's webhook. */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'

import nodemailer, { type SendMailOptions } from 'nodemailer'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authenticateMail } from '#server/mail/authentication.ts'
import { type MailServer, startMailServer } from '#server/mail/server.ts'

import { openMailVendor, type MailVendor } from './support/mail-vendor.ts'
import { type Deliverer, openDeliverer, type Sent, type TestChannel } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com', MAIL_PORT: '0' })
const { call } = world
let vendor: MailVendor
let listener: MailServer
let email: TestChannel
let deliverer: Deliverer
const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`
// One domain disowns whatever does not come from its own servers.
const records = (domain: string, type: string) =>
  type === 'TXT' && domain === '_dmarc.strict.example' ? Promise.resolve([['v=DMARC1; p=reject']]) : noRecords()
const noRecords = () => Promise.reject(Object.assign(new Error('no such record'), { code: 'ENOTFOUND' }))

beforeAll(async () => {
  vendor = await openMailVendor()
  const { services } = world.platform
  listener = await startMailServer({ services, config: world.config, log: services.log, resolver: records })
  email = await call('create_channel', {
    internalName: 'Mail',
    channel: 'email',
    provider: 'smtp',
    settings: { host: '127.0.0.1', port: vendor.port, secure: false, from: 'dispatch@ops.example.com' },
    secrets: { webhookSecret },
  })
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await listener?.close()
  await vendor?.close()
})

let people = 0
const newAddress = () => `person${++people}@customer.example`
const mailTo = (to: string, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { email: to }, text: 'Is gate 4 open?', ...more })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const lastTaken = () =>
  vendor.taken.at(-1) ?? {
    from: '',
    to: [],
    raw: Buffer.alloc(0),
    mail: { headers: [], headerLines: [], attachments: [] },
    user: undefined,
  }
/** All of them: an answer ends where its limit of bytes ends it. */
async function repliesOf(conversationId: number) {
  const pageAfter = async (afterSeq: number) => (await call('poll_replies', { conversationId, afterSeq })).messages
  const replies = await pageAfter(0)
  for (let page = replies; page.length > 0; replies.push(...page)) page = await pageAfter(replies.at(-1).seq)
  return replies
}

/** Sends and delivers; answers the message with the address that replies go to. */
async function delivered(to: string, more: object = {}): Promise<Sent & { replyTo: string; messageIdHeader: string }> {
  const sent = await mailTo(to, more)
  await deliverer.deliver(sent)
  const { mail } = lastTaken()
  return { ...sent, replyTo: mail.replyTo?.[0]?.address ?? '', messageIdHeader: mail.messageId ?? '' }
}

/** Hands a mail to our listener, as somebody's mail server would. */
async function post(mail: SendMailOptions & { envelope?: { from: string; to: string[] } }): Promise<void> {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true })
  try {
    await transport.sendMail(mail)
  } finally {
    transport.close()
  }
}

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
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    await deliverer.deliver(sent)
    const mine = vendor.taken.filter((one) => one.to.includes(to))
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
    await deliverer.deliver(next)
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
        await deliverer.deliver(more)
        expect(lastTaken().mail.subject).toBe(`Re: ${shown}`)
      }
    }
  })

  it('is tried again while the server certainly has not taken it, and fails where the server says no', async () => {
    for (const plan of ['laterAtRecipient', 'dieAtRecipient', 'laterAfterData'] as const) {
      const to = newAddress()
      const sent = await mailTo(to)
      vendor.plan(plan)
      await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'vendorAway' })
      expect((await statusOf(sent)).status).toBe('queued')
      await deliverer.deliver(sent)
      expect(vendor.taken.filter((one) => one.to.includes(to))).toHaveLength(1)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
    }
    for (const [plan, reason, vendorCode] of [
      ['refuseRecipient', 'badAddress', '550'],
      ['refuseAfterData', 'refused', '554'],
    ] as const) {
      const sent = await mailTo(newAddress())
      vendor.plan(plan)
      expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason, vendorCode, attempts: 1 })
    }
  })

  it('says unknown where the server took it and gave no word, and is never sent again', async () => {
    const to = newAddress()
    const sent = await mailTo(to)
    vendor.plan('takeAndDie')
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    expect(await statusOf(sent)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    await deliverer.deliver(sent)
    expect(vendor.taken.filter((one) => one.to.includes(to))).toHaveLength(1)
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
    await deliverer.deliver(good)
    expect(strict.taken.map((one) => one.user)).toEqual(['me'])
    await call('update_channel', { channelId: channel.channelId, secrets: { password: 'wrong' } })
    const bad: Sent = await mailTo(newAddress(), { channel: 'Strict' })
    await deliverer.deliver(bad)
    expect(await statusOf(bad)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured', vendorCode: '535' })
    await strict.close()
    await world.sql`update platform.channel set settings = settings || '{"host": "10.0.0.1"}' where channel_id = ${channel.channelId}`
    const forbidden: Sent = await mailTo(newAddress(), { channel: 'Strict' })
    await deliverer.deliver(forbidden)
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
    await deliverer.deliver(sent)
    expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured' })
    expect(doubtful.taken).toEqual([])
    await doubtful.close()
    await call('delete_channel', { channelId: channel.channelId })
  })
})

describe('a reply by e-mail', () => {
  it('wakes the await with what the person wrote, without the quoted message, its files as assets', async () => {
    const from = newAddress()
    const { conversationId, replyTo, messageIdHeader } = await delivered(from, {
      card: { choices: [{ key: 'open', label: 'It is open' }] },
    })
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 20 })
    await post({
      from: `Ana Ruiz <${from}>`,
      to: replyTo,
      subject: 'Re: Gate 4',
      inReplyTo: messageIdHeader,
      text: '1\n\nOn Sat, 21 Nov 2026 at 10:00, Dispatch <dispatch@ops.example.com> wrote:\n> Is gate 4 open?\n> 1. It is open\n',
      attachments: [{ filename: 'gate.txt', content: 'a photograph' }],
    })
    const [message] = (await waiting).messages
    expect(message).toMatchObject({ text: '1', choice: 'open', channel: 'email', from, assetKeys: [expect.any(String)] })
    expect(await call('get_asset', { assetKey: message.assetKeys[0] })).toMatchObject({
      originalFileName: 'gate.txt',
      mimeType: 'text/plain',
      fileSize: 12,
    })
    const [row] = await world.sql`select authentication from platform.message where message_id = ${message.messageId}`
    expect(row?.['authentication']).toEqual({ spf: 'none', dkim: 'none', dmarc: 'none' })
  })

  it('is stored once, however often it is handed over and in whatever case its address is written', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    const mail = { from, to: replyTo.toUpperCase(), subject: 'Re', text: 'Yes', messageId: '<same@customer.example>' }
    await Promise.all([post(mail), post(mail), post({ ...mail, to: replyTo })])
    expect((await repliesOf(conversationId)).map((one: { text: string }) => one.text)).toEqual(['Yes'])
    await post({ ...mail, messageId: '<another@customer.example>' })
    expect(await repliesOf(conversationId)).toHaveLength(2)
  })

  it('is refused for every address that is not ours: nothing is relayed', async () => {
    const { conversationId, replyTo } = await delivered(newAddress())
    const forged = replyTo.replace(/[0-9a-f](?=@)/, (digit) => (digit === '0' ? '1' : '0'))
    for (const to of ['somebody@elsewhere.example', 'postmaster@ops.example.com', forged, replyTo.replace(/-([0-9a-z]+)-/, '-zz-')]) {
      await expect(post({ from: 'x@customer.example', to, text: 'relay me' })).rejects.toMatchObject({ responseCode: 550 })
    }
    expect(await repliesOf(conversationId)).toEqual([])
  })

  it('comes in after the end too, and wakes no one', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await call('end_conversation', { conversationId })
    await post({ from, to: replyTo, text: 'Too late?' })
    expect(await repliesOf(conversationId)).toMatchObject([{ text: 'Too late?' }])
    expect(
      await world.sql`select 1 from platform.outbox where subject = ${`conversation:${conversationId}`} and event->>'type' = 'messageReceived'`,
    ).toHaveLength(0)
  })

  it('is not an absence note, a bounce or a list', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await post({ from, to: replyTo, text: 'I am away', headers: { 'Auto-Submitted': 'auto-replied' } })
    await post({ from, to: replyTo, text: 'A list', headers: { Precedence: 'bulk' } })
    await post({ from, to: replyTo, text: 'Undeliverable', envelope: { from: '', to: [replyTo] } })
    expect(await repliesOf(conversationId)).toEqual([])
    await post({ from, to: replyTo, text: 'I am here', headers: { 'Auto-Submitted': 'no' } })
    expect(await repliesOf(conversationId)).toMatchObject([{ text: 'I am here' }])
  })

  it('STOP, by word or by the unsubscribe link, suppresses what comes after', async () => {
    const byWord = newAddress()
    await post({ from: byWord, to: (await delivered(byWord)).replyTo, text: 'stop\n\n> Is gate 4 open?' })
    expect((await mailTo(byWord)).status).toBe('suppressed')
    const byLink = newAddress()
    const { replyTo } = await delivered(byLink)
    await post({ from: byLink, to: replyTo, subject: 'STOP', text: '' })
    expect((await mailTo(byLink)).status).toBe('suppressed')
    // Mail programs say in the text what they do, and some of them that they did it by themselves.
    for (const headers of [{}, { 'Auto-Submitted': 'auto-generated' }]) {
      const byProgram = newAddress()
      const thread = await delivered(byProgram)
      await post({ from: byProgram, to: thread.replyTo, subject: 'STOP', text: 'This message was generated by a mail program.', headers })
      expect((await mailTo(byProgram)).status).toBe('suppressed')
      expect(await repliesOf(thread.conversationId)).toMatchObject([{ keyword: 'stop', text: expect.stringContaining('generated') }])
    }
    // Only the person takes it back, not whoever else holds the address of the thread.
    await post({ from: newAddress(), to: replyTo, text: 'START' })
    expect((await mailTo(byLink)).status).toBe('suppressed')
    await post({ from: byLink, to: replyTo, text: 'START' })
    expect((await mailTo(byLink)).status).toBe('queued')
  })

  it('of more than 25 MiB, or that cannot be read, is refused and costs nothing else', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await expect(
      post({ from, to: replyTo, attachments: [{ filename: 'big', content: Buffer.alloc(20 * 1024 * 1024) }] }),
    ).rejects.toMatchObject({ responseCode: 552 })
    await post({ from, to: replyTo, text: 'still here' })
    expect(await repliesOf(conversationId)).toMatchObject([{ text: 'still here' }])
  })

  it('is kept by its sender while the database is away', async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await world.sql`alter table platform.message rename to message_away`
    try {
      await expect(post({ from, to: replyTo, text: 'Not now' })).rejects.toMatchObject({ responseCode: 451 })
    } finally {
      await world.sql`alter table platform.message_away rename to message`
    }
    await post({ from, to: replyTo, text: 'Now' })
    expect(await repliesOf(conversationId)).toMatchObject([{ text: 'Now' }])
  })

  it('is taken from a client that speaks badly or leaves half-way, and the listener goes on', async () => {
    await Promise.all(
      ['\r\n\r\nGET / HTTP/1.1\r\n\r\n', 'EHLO x\r\nMAIL FROM:<a@b.c>\r\n', `EHLO ${'x'.repeat(70_000)}\r\n`].map(
        (bytes) =>
          new Promise<void>((resolve) => {
            const socket = createConnection(listener.port, '127.0.0.1', () =>
              socket.write(bytes, () => setTimeout(() => socket.destroy(), 50)),
            )
            socket.once('close', () => resolve()).on('error', () => {})
          }),
      ),
    )
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    await post({ from, to: replyTo, text: 'fine' })
    expect(await repliesOf(conversationId)).toHaveLength(1)
  })
})

describe('a hostile mail', () => {
  /** Its bytes as they are, through a session of SMTP. */
  async function postRaw(to: string, raw: string, sender = 'ana@customer.example'): Promise<void> {
    await post({ envelope: { from: sender, to: [to] }, raw: Buffer.from(raw, 'latin1') })
  }
  const head = (from: string, more = '') => `From: ${from}\r\nTo: us\r\nSubject: Re\r\n${more}`

  it('of very many lines or parts is read or refused within bounds, and meanwhile calls are answered', { timeout: 60_000 }, async () => {
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    let longest = 0
    let last = performance.now()
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 10)
    const bombs = [
      head(from) + '\r\n' + 'x\r\n'.repeat(7_000_000),
      head(from, 'Content-Type: multipart/mixed; boundary=b\r\n') + '\r\n' + '--b\r\n\r\nx\r\n'.repeat(150_000) + '--b--',
      head(from, 'Content-Type: text/html\r\n') + '\r\n' + '&amp;<p>'.repeat(2_500_000),
    ]
    const outcomes = await Promise.all(
      bombs.map((bomb) =>
        postRaw(replyTo, bomb).then(
          () => 250,
          (error: { responseCode: number }) => error.responseCode,
        ),
      ),
    )
    clearInterval(beat)
    expect(outcomes[0]).toBe(554)
    expect(outcomes.slice(1)).toEqual([250, 250])
    // Handing some 50 MB over takes its time as well, but nothing like the ten seconds that reading them here did.
    expect(longest).toBeLessThan(4_000)
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
    const { tenantUserId } = await call('create_user', { email, userName: `ana${people}`, roles: [] })
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'email', text: 'Well?' })
    await deliverer.deliver(sent)
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
    const email = `ana${++people}@strict.example`
    const { tenantUserId } = await call('create_user', { email, userName: `strict${people}`, roles: [] })
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'email', text: 'Well?' })
    await deliverer.deliver(sent)
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
    await deliverer.deliver(sent)
    const taken = vendor.taken.find((one) => one.to.includes(to))
    expect(taken?.to).toEqual([to])
    expect(taken?.mail.bcc ?? []).toEqual([])
    expect(taken?.mail.subject).toContain('Bcc: everybody@elsewhere.example')
    for (const email of ['a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example', '<a@b.example> c@d.example'])
      await expect(mailTo(email)).rejects.toMatchObject(refused('invalid_input'))
  })

  it('asking for HELP is answered with the text of its channel, once', async () => {
    await call('update_channel', {
      channelId: email.channelId,
      settings: { host: '127.0.0.1', port: vendor.port, secure: false, from: 'dispatch@ops.example.com', helpText: 'Call 112.' },
    })
    const from = newAddress()
    const { conversationId, replyTo } = await delivered(from)
    const help = { from, to: replyTo, text: 'Help', messageId: `<help-${people}@customer.example>` }
    await post(help)
    await post(help)
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages.map((one: { direction: string; text: string }) => [one.direction, one.text])).toEqual([
      ['outbound', 'Is gate 4 open?'],
      ['inbound', 'Help'],
      ['outbound', 'Call 112.'],
    ])
    await deliverer.deliver({ conversationId, messageId: messages[2].messageId })
    const { mail } = lastTaken()
    expect(mail.text?.trim()).toBe('Call 112.')
    const sign = (headers: typeof mail.headers) => headers.find((one) => one.key === 'auto-submitted')?.value
    expect(sign(mail.headers)).toBe('auto-replied')
    // What a person or an agent sent is answered by whoever is asked, an absence note included.
    await delivered(from)
    expect(sign(lastTaken().mail.headers)).toBeUndefined()
  })
})

describe('a reply through the webhook', () => {
  const send = (body: object, secret = webhookSecret, at = new Date()) => {
    const text = JSON.stringify(body)
    const headers = {
      'webhook-id': 'w1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('w1', at, text),
    }
    return call(
      'receive_channel_webhook',
      { channelKey: email.channelKey },
      { raw: { body: Buffer.from(text), headers, url: `/api/v1/messaging/webhooks/${email.channelKey}` } },
    )
  }

  it('finds its conversation by the reply address, by what it answers, by its sender, in this order', async () => {
    const from = newAddress()
    const first = await delivered(from)
    const second = await delivered(from)
    expect(
      await send({ from, to: first.replyTo, subject: 's', text: 'by address', messageId: '<w1@x>', inReplyTo: second.messageIdHeader }),
    ).toEqual({ outcome: 'stored' })
    await send({
      from: `Ana <${from}>`,
      to: ['hello@ops.example.com'],
      text: 'by thread',
      messageId: '<w2@x>',
      inReplyTo: first.messageIdHeader,
    })
    await send({ from, to: 'hello@ops.example.com', text: 'by sender', messageId: '<w3@x>' })
    const stranger = newAddress()
    await send({ from: stranger, to: 'hello@ops.example.com', subject: 'Hello', text: 'by nobody', messageId: '<w4@x>' })
    const textsOf = async (conversationId: number) => (await repliesOf(conversationId)).map((one: { text: string }) => one.text)
    expect(await textsOf(first.conversationId)).toEqual(['by address', 'by thread'])
    expect(await textsOf(second.conversationId)).toEqual(['by sender'])
    expect(await call('list_conversations', { address: stranger })).toMatchObject([{ state: 'open', channel: 'email' }])
    expect(await send({ from, to: 'hello@ops.example.com', text: 'by sender', messageId: '<w3@x>' })).toEqual({ outcome: 'duplicate' })
    await send({ from, to: second.replyTo, subject: 'STOP', text: '', messageId: '<w5@x>' })
    expect((await mailTo(from)).status).toBe('suppressed')
    expect(await textsOf(second.conversationId)).toEqual(['by sender', 'STOP'])
  })

  it('is refused when its signature is wrong or old, and told what it lacks when it is no e-mail', async () => {
    const body = { from: newAddress(), to: 'x@ops.example.com', text: 'x', messageId: '<w9@x>' }
    await expect(send(body, `whsec_${randomBytes(24).toString('base64')}`)).rejects.toMatchObject(refused('forbidden'))
    await expect(send(body, webhookSecret, new Date(Date.now() - 400_000))).rejects.toMatchObject(refused('forbidden'))
    await expect(send({ ...body, messageId: undefined })).rejects.toMatchObject(refused('invalid_input', /messageId/))
    await call('update_channel', { channelId: email.channelId, secrets: { webhookSecret: null } })
    await expect(send(body)).rejects.toMatchObject(refused('forbidden'))
    await call('update_channel', { channelId: email.channelId, secrets: { webhookSecret } })
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
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
