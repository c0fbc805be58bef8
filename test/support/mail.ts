/** E-mail in and out for the specs of it: a vendor's server, our own listener, a channel between them, and what is sent and handed over. */
import { randomBytes } from 'node:crypto'

import nodemailer, { type SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll } from 'vitest'

import { type MailServer, startMailServer } from '#server/mail/server.ts'

import { type MailVendor, openMailVendor } from './mail-vendor.ts'
import { type Deliverer, openDeliverer, type Sent, type TestChannel } from './messaging.ts'
import { useWorld } from './world.ts'

export const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`

export const noRecords = () => Promise.reject(Object.assign(new Error('no such record'), { code: 'ENOTFOUND' }))

/** One domain disowns whatever does not come from its own servers. */
const records = (domain: string, type: string) =>
  type === 'TXT' && domain === '_dmarc.strict.example' ? Promise.resolve([['v=DMARC1; p=reject']]) : noRecords()

interface Open {
  readonly vendor: MailVendor
  readonly listener: MailServer
  readonly channel: TestChannel
  readonly deliverer: Deliverer
}

/** The world of a spec file with e-mail, as `useWorld`. */
export function useMail() {
  const world = useWorld({ PUBLIC_URL: 'https://ops.example.com', MAIL_PORT: '0' })
  const { call } = world
  let opened: Open | undefined
  const now = (): Open => {
    if (!opened) throw new Error('The mail is not open yet: look at it in a hook or a test.')
    return opened
  }
  beforeAll(async () => {
    const vendor = await openMailVendor()
    const { services } = world.platform
    const listener = await startMailServer({ services, config: world.config, log: services.log, resolver: records })
    const channel = await call('create_channel', {
      internalName: 'Mail',
      channel: 'email',
      provider: 'smtp',
      settings: { host: '127.0.0.1', port: vendor.port, secure: false, from: 'dispatch@ops.example.com' },
      secrets: { webhookSecret },
    })
    opened = { vendor, listener, channel, deliverer: openDeliverer(world) }
  })
  afterAll(async () => {
    await opened?.deliverer.close()
    await opened?.listener.close()
    await opened?.vendor.close()
  })

  let people = 0
  const newNumber = () => ++people
  const newAddress = () => `person${newNumber()}@customer.example`
  const deliver: Deliverer['deliver'] = (message) => now().deliverer.deliver(message)
  const mailTo = (to: string, more: object = {}): Promise<Sent> =>
    call('send_message', { to: { email: to }, text: 'Is gate 4 open?', ...more })
  const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
  const lastTaken = () =>
    now().vendor.taken.at(-1) ?? {
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
    await deliver(sent)
    const { mail } = lastTaken()
    return { ...sent, replyTo: mail.replyTo?.[0]?.address ?? '', messageIdHeader: mail.messageId ?? '' }
  }

  /** Hands a mail to our listener, as somebody's mail server would. */
  async function post(mail: SendMailOptions & { envelope?: { from: string; to: string[] } }): Promise<void> {
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port: now().listener.port, secure: false, ignoreTLS: true })
    try {
      await transport.sendMail(mail)
    } finally {
      transport.close()
    }
  }

  return {
    world,
    get vendor() {
      return now().vendor
    },
    get listener() {
      return now().listener
    },
    get channel() {
      return now().channel
    },
    newNumber,
    newAddress,
    deliver,
    mailTo,
    statusOf,
    lastTaken,
    repliesOf,
    delivered,
    post,
  }
}
