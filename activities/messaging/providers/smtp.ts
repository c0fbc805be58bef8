/** Messages by e-mail: composed and handed to the channel's mail server, with an account of how far the hand-over came. */
import { once } from 'node:events'
import { Readable } from 'node:stream'

import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

import { AppError } from '#platform/errors.ts'
import { isAllowedAddress, resolveAllowed } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import type { SmtpWay } from '#tools/messaging/providers/smtp.ts'
import type { Order, Outcome } from '#tools/messaging/service.ts'

import { readFiles } from '../attachments.ts'
import type { Carrier } from './carrier.ts'

type SmtpOrder = Order<SmtpWay>

const limits = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 5_000 } as const
// Below the time-out of the activity, so that the outcome is still written down.
const wholeMs = 70_000

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function htmlOf(order: SmtpOrder): string {
  const paragraphs = order.text.split(/\n{2,}/).map((part) => `<p>${escaped(part).replaceAll('\n', '<br>')}</p>`)
  const link = order.card?.link
  if (link) paragraphs.push(`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`)
  return `<!doctype html><html><body style="font-family:sans-serif">${paragraphs.join('\n')}</body></html>`
}

async function compose(services: Services, order: SmtpOrder): Promise<Buffer> {
  const { via, tenantId } = order
  const files = await readFiles(services, tenantId, order.assetKeys)
  const composer = new MailComposer({
    from: via.settings.from,
    to: order.to,
    replyTo: via.replyTo,
    subject: via.subject,
    text: order.text,
    html: order.html ?? htmlOf(order),
    messageId: via.messageIdHeader,
    ...(via.references.length === 0 ? {} : { inReplyTo: via.references.at(-1) ?? '', references: [...via.references] }),
    headers: {
      // One click in a mail program says STOP as the word does.
      'List-Unsubscribe': `<mailto:${via.replyTo}?subject=STOP>`,
      // What nobody sent is an answer of our own, to HELP: a program that answers by itself must not answer it.
      ...(order.fromUserId === null ? { 'Auto-Submitted': 'auto-replied' } : {}),
    },
    attachments: files.map(({ fileName, mimeType, bytes }) => ({ filename: fileName, contentType: mimeType, content: bytes })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

interface SmtpFailure {
  readonly responseCode: number | undefined
  readonly command: string | undefined
  readonly isUntrusted: boolean
}

// As Node names what it holds against a certificate, OpenSSL a server that speaks no TLS, and nodemailer one that offers no STARTTLS.
const untrusted = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|WRONG_VERSION_NUMBER$|^ETLS$/

function failureOf(error: unknown): SmtpFailure {
  const field = (name: string) =>
    typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined
  const code = field('responseCode')
  const command = field('command')
  return {
    responseCode: typeof code === 'number' ? code : undefined,
    command: typeof command === 'string' ? command : undefined,
    isUntrusted: [field('code'), field('originalCode')].some((name) => typeof name === 'string' && untrusted.test(name)),
  }
}

function readFailure(order: SmtpOrder, error: unknown, isHandedOver: boolean): Outcome {
  if (error instanceof AppError) return { kind: 'refused', reason: error.code === 'not_found' ? 'assetGone' : 'channelMisconfigured' }
  const { responseCode, command, isUntrusted } = failureOf(error)
  // Nothing was said to a server that cannot be trusted, and trying again does not change its certificate.
  if (isUntrusted && !isHandedOver) return { kind: 'refused', reason: 'channelMisconfigured' }
  if (responseCode !== undefined && responseCode >= 500) {
    const vendorCode = String(responseCode)
    if (command?.startsWith('AUTH') || responseCode === 530 || responseCode === 535)
      return { kind: 'refused', reason: 'channelMisconfigured', vendorCode }
    return { kind: 'refused', reason: command === 'RCPT TO' ? 'badAddress' : 'refused', vendorCode }
  }
  // The server said no for now: it has not taken the message.
  if (responseCode !== undefined && responseCode >= 400) return { kind: 'notSent', detail: `reply ${responseCode}` }
  // The whole message was on the wire and no word came back. A mail server keeps no list to look it up in.
  if (isHandedOver) return { kind: 'neverKnown', detail: 'no reply to the message', providerId: order.via.messageIdHeader }
  return { kind: 'notSent', detail: 'connection' }
}

async function handOver(services: Services, order: SmtpOrder): Promise<Outcome> {
  const { settings, secrets } = order.via
  let isHandedOver = false
  let connection: SMTPConnection | undefined
  let limit: NodeJS.Timeout | undefined
  try {
    const mail = await compose(services, order)
    const address = await resolveAllowed(services.config, settings.host, limits.dnsTimeout)
    const smtp = new SMTPConnection({
      ...limits,
      // The checked address and not the name, which may mean another one a moment later; the certificate is still held against the name.
      host: address,
      port: settings.port,
      secure: settings.secure,
      servername: settings.host,
      // A password crosses the public network encrypted or not at all.
      requireTLS: secrets.user !== undefined && isAllowedAddress({ outboundAllow: [] }, address),
      name: new URL(services.config.publicUrl).hostname,
      allowInternalNetworkInterfaces: true,
    })
    connection = smtp
    // A second failure of a connection that is given up already must not end the process.
    smtp.on('error', () => {})
    const failed = once(smtp, 'error').then(([error]) => Promise.reject(error instanceof Error ? error : new Error(String(error))))
    const late = new Promise<never>((_, reject) => (limit = setTimeout(() => reject(new Error('The hand-over took too long')), wholeMs)))
    const step = (run: (done: (error?: Error | null) => void) => void) =>
      Promise.race([new Promise<void>((resolve, reject) => run((error) => (error ? reject(error) : resolve()))), failed, late])
    failed.catch(() => {})
    late.catch(() => {})
    await step((done) => smtp.connect(done))
    const { user, password } = secrets
    if (user !== undefined) await step((done) => smtp.login({ user, pass: password ?? '' }, done))
    // Its end is written right after the stream's: before that, no server takes the message for whole.
    const stream = Readable.from([mail])
    stream.once('end', () => (isHandedOver = true))
    await step((done) => smtp.send({ from: settings.from, to: [order.to] }, stream, done))
    connection = undefined
    smtp.quit()
    return { kind: 'sent', providerId: order.via.messageIdHeader }
  } catch (error) {
    services.log.debug({ err: error, messageId: order.messageId }, 'a hand-over by SMTP failed')
    return readFailure(order, error, isHandedOver)
  } finally {
    clearTimeout(limit)
    connection?.close()
  }
}

export const smtp: Carrier<SmtpWay> = {
  send: ({ services }, order) => handOver(services, order),
  lookUp: (_parts, { via }) =>
    Promise.resolve({ kind: 'neverKnown', detail: 'a mail server keeps no list', providerId: via.messageIdHeader }),
}
