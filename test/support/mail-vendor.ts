/** A real mail server that takes what the product sends, and refuses or breaks off where a test asks it to. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** How the next hand-over goes wrong. `takeAndDie`: the message is taken, and the connection ends without the word. */
export type MailPlan =
  | 'ok'
  | 'refuseRecipient'
  | 'laterAtRecipient'
  | 'dieAtRecipient'
  | 'takeAndDie'
  | 'laterAfterData'
  | 'refuseAfterData'

export interface MailVendor {
  readonly port: number
  /** What was taken, with the envelope. */
  readonly taken: {
    readonly from: string
    readonly to: readonly string[]
    readonly raw: Buffer
    readonly mail: Email
    readonly user: string | undefined
  }[]
  plan(...plans: MailPlan[]): void
  close(): Promise<void>
}

const refusal = (responseCode: number, sentence: string) => Object.assign(new Error(sentence), { responseCode })

/** With `encryption` it shows a certificate that nobody trusts. */
export async function openMailVendor(
  options: { user?: string; password?: string; encryption?: 'startTls' | 'tls' } = {},
): Promise<MailVendor> {
  const taken: MailVendor['taken'] = []
  const plans: MailPlan[] = []
  let plan: MailPlan = 'ok'
  // The server does not hand out its sockets by session; each test has one hand-over under way at a time.
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const sockets = new Set<{ destroy(): void }>()
  const server = new SMTPServer({
    authOptional: options.user === undefined,
    allowInsecureAuth: true,
    secure: options.encryption === 'tls',
    disabledCommands: options.encryption === 'startTls' ? [] : ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === options.user && password === options.password ? done(null, { user: username }) : done(refusal(535, 'No')),
    onMailFrom(_address, _session, done) {
      plan = plans.shift() ?? 'ok'
      done()
    },
    onRcptTo(_address, _session, done) {
      if (plan === 'refuseRecipient') done(refusal(550, 'Nobody here'))
      else if (plan === 'laterAtRecipient') done(refusal(451, 'Later'))
      else if (plan === 'dieAtRecipient') cut()
      else done()
    },
    onData(stream, session, done) {
      buffer(stream)
        .then(async (raw) => {
          if (plan === 'laterAfterData') return done(refusal(451, 'Later'))
          if (plan === 'refuseAfterData') return done(refusal(554, 'Spam'))
          const { mailFrom, rcptTo } = session.envelope
          const user = typeof session.user === 'string' ? session.user : undefined
          taken.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map((one) => one.address),
            raw,
            mail: await PostalMime.parse(raw),
            user,
          })
          if (plan === 'takeAndDie') return cut()
          return done()
        })
        .catch(done)
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: { destroy(): void; once(event: 'close', listener: () => void): void }) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    plan: (...next) => void plans.push(...next),
    close: () =>
      new Promise((resolve) => {
        cut()
        server.close(() => resolve())
      }),
  }
}
