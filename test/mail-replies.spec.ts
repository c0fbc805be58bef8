/** Replies by e-mail, in through our own listener and through the channel's webhook. */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'

import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'

import { useMail, webhookSecret } from './support/mail.ts'
import { refused } from './support/refused.ts'

const mails = useMail()
const { world, newAddress, mailTo, repliesOf, delivered, post } = mails
const { call } = mails.world

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
      await world.sql`select 1 from platform.outbox where subject = ${`conversation:${conversationId}`} and errand ->> 'signal' = 'received'`,
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
            const socket = createConnection(mails.listener.port, '127.0.0.1', () =>
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
      { channelKey: mails.channel.channelKey },
      { raw: { body: Buffer.from(text), headers, url: `/api/v1/messaging/webhooks/${mails.channel.channelKey}` } },
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
    await call('update_channel', { channelId: mails.channel.channelId, secrets: { webhookSecret: null } })
    await expect(send(body)).rejects.toMatchObject(refused('forbidden'))
    await call('update_channel', { channelId: mails.channel.channelId, secrets: { webhookSecret } })
  })
})
