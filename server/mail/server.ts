/**
 * Where replies by e-mail come in. It takes mail for reply addresses that it signed itself and for nothing else, relays nothing, and says yes only
 * when the reply is committed, so that the sender's server keeps what we could not.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'

import type { DNSResolver } from 'mailauth'
import { SMTPServer } from 'smtp-server'

import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'
import type { Services } from '#platform/services.ts'
import { mailboxOf, type NamedConversation, receiveMail } from '#tools/messaging/service.ts'

import { boundedResolver } from './authentication.ts'
import { readMail, UnreadableMail } from './reading.ts'
import { createSeats, networkOf } from './seats.ts'

export interface MailServerOptions {
  readonly services: Services
  readonly config: Config
  readonly log: Logger
  /** Instead of the machine's name servers: for tests. */
  readonly resolver?: DNSResolver
}

export interface MailServer {
  readonly port: number
  close(): Promise<void>
}

const maxMailBytes = 25 * 1024 * 1024
// Each may hold one mail in memory.
const maxClients = 20
// A relay may bring many mails at once, and still leaves room for others.
const maxClientsOfAddress = 15
// A mail that takes longer to come no longer keeps its place.
const maxMailMs = 600_000
const maxRecipients = 5

/** A refusal as mail servers understand it: 4xx, try again later; 5xx, never. */
function refusal(responseCode: number, sentence: string): Error {
  return Object.assign(new Error(sentence), { responseCode })
}

const tryLater = () => refusal(451, 'The mail cannot be stored now. Try again later.')

/** Listens on `config.mailPort` (0: any). Rejects where the port is taken. */
export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const { services, config, log } = options
  const resolver = options.resolver ?? boundedResolver()
  const mta = new URL(config.publicUrl).hostname

  async function take(
    mail: Buffer,
    session: { remoteAddress: string; hostNameAppearsAs: string | false; sender: string; recipients: readonly string[] },
  ): Promise<void> {
    const mailboxes = (await Promise.all(session.recipients.map(async (to) => ({ to, named: await mailboxOf(services, to) })))).filter(
      (one): one is { to: string; named: NamedConversation } => one.named !== undefined,
    )
    const helo = session.hostNameAppearsAs || 'unknown'
    const arrival = { ip: session.remoteAddress, helo, sender: session.sender, mta }
    const read = await readMail({ mail, digest: createHash('sha256').update(mail).digest('hex'), arrival }, resolver).catch(
      (error: unknown) => {
        if (!(error instanceof UnreadableMail)) throw error
        log.info({ err: error }, 'a mail could not be read')
        throw refusal(554, 'This is no mail that can be read.')
      },
    )
    if (session.sender === '' || read.isAutomatic) {
      log.info({ recipients: mailboxes.map((one) => one.named) }, 'an automatic mail is no reply and was not kept')
      return
    }
    for (const { to, named } of mailboxes) {
      const outcome = await receiveMail(services, named, { ...read, to: to.toLowerCase() })
      log.info({ ...named, outcome, dmarc: read.authentication.dmarc }, 'a reply by mail')
    }
  }

  const seats = createSeats({
    seats: maxClients,
    ofAddress: maxClientsOfAddress,
    letGo(id) {
      for (const connection of server.connections) {
        if (connection.session.id !== id) continue
        connection.send(421, 'Others wait, and you were silent. Come again.', false)
        connection.close()
      }
    },
  })
  const server: SMTPServer = new SMTPServer({
    name: mta,
    banner: 'Fieldloop',
    size: maxMailBytes,
    authOptional: true,
    // Whoever faces the internet ends TLS; a certificate that nobody trusts would protect nothing.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    socketTimeout: 60_000,
    closeTimeout: 5_000,
    onConnect({ id, remoteAddress }, done) {
      done(seats.take(id, networkOf(remoteAddress)) ? null : refusal(421, 'Too many mails at once. Come again.'))
    },
    onClose: ({ id }) => seats.leave(id),
    onMailFrom(_address, { id }, done) {
      seats.touch(id)
      done(null)
    },
    onRcptTo({ address }, session, done) {
      seats.touch(session.id)
      if (session.envelope.rcptTo.length >= maxRecipients) {
        done(refusal(452, 'Too many recipients.'))
        return
      }
      mailboxOf(services, address).then(
        (named) => done(named ? null : refusal(550, 'There is no such mailbox here.')),
        (error: unknown) => {
          log.warn({ err: error }, 'a mailbox could not be looked up')
          done(tryLater())
        },
      )
    },
    onData(stream, session, stored) {
      seats.occupy(session.id)
      const done = (error: Error | null) => {
        clearTimeout(late)
        seats.touch(session.id)
        stored(error)
      }
      const late = setTimeout(() => seats.touch(session.id), maxMailMs)
      stream.once('close', () => clearTimeout(late))
      const chunks: Buffer[] = []
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        // What is too large is still read to its end, as the protocol has it, but not kept.
        if (bytes <= maxMailBytes) chunks.push(chunk)
        else chunks.length = 0
      })
      stream.once('end', () => {
        if (stream.sizeExceeded || bytes > maxMailBytes) {
          done(refusal(552, 'The mail is larger than 25 MiB.'))
          return
        }
        const { remoteAddress, hostNameAppearsAs, envelope } = session
        const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
        take(Buffer.concat(chunks), {
          remoteAddress,
          hostNameAppearsAs,
          sender,
          recipients: envelope.rcptTo.map((one) => one.address),
        }).then(
          () => done(null),
          (error: unknown) => {
            if (error instanceof Error && 'responseCode' in error) {
              done(error)
              return
            }
            log.warn({ err: error }, 'a mail could not be stored')
            done(tryLater())
          },
        )
      })
    },
  })
  // Of connections that break: their senders try again. A port that is taken comes here too, and by the line below to whoever starts us.
  server.on('error', (error: Error) => log.debug({ err: error }, 'mail connection'))
  server.listen(config.mailPort, config.host)
  await once(server.server, 'listening')
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.mailPort
  log.info({ port }, 'listening for replies by mail')
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) }
}
